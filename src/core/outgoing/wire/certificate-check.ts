/** Looks at the certificate of an HTTPS address as a sender would, and at nothing else: no request is made there. */
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { describeFailure } from './send-failure.ts'

const LONGEST_MS = 5_000

/**
 * Why the certificate at a URL doesn't verify, in a sentence; null if it does, and if no certificate was shown, which says nothing
 * about one. Never rejects.
 */
export function findCertificateProblem(url: string, authorities: readonly string[]): Promise<string | null> {
  if (!URL.canParse(url)) return Promise.resolve(null)
  const { hostname, port, host } = new URL(url)
  const name = hostname.replaceAll(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const socket = connect({
      host: name,
      port: port === '' ? 443 : Number(port),
      ca: [...authorities],
      ALPNProtocols: ['http/1.1'],
      ...(isIP(name) === 0 ? { servername: name } : {}),
    })
    const end = (problem: string | null) => {
      socket.destroy()
      resolve(problem)
    }
    socket.setTimeout(LONGEST_MS, () => {
      end(null)
    })
    socket.once('secureConnect', () => {
      // Ended, not destroyed: our last message of the handshake may be unsent, and the server would report a broken-off handshake.
      socket.end()
      resolve(null)
    })
    socket.on('error', (error) => {
      const { kind, reason } = describeFailure(error, host)
      end(kind === 'certificate' ? `The certificate of ${host} isn't valid (${reason}).` : null)
    })
  })
}
