/** Looks at the certificate of an HTTPS address as a sender would, and at nothing else: no request is made there. */
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { describeFailure } from '../dispatch/send-failure.ts'

const LONGEST_MS = 5_000

/**
 * Why the certificate at a URL does not verify, in a sentence; null where it does, and where no certificate was shown, which
 * says nothing about one. Never rejects.
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
      end(null)
    })
    socket.on('error', (error) => {
      const { kind, reason } = describeFailure(error, host)
      // Section 2.1: what the service trusts is its own affair, so no authority of ours helps there.
      const advice = 'The service takes valid certificates only: use one of a public authority, or a tunnel.'
      end(kind === 'certificate' ? `The certificate of ${host} does not verify (${reason}). ${advice}` : null)
    })
  })
}
