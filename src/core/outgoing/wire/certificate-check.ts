/** Checks the certificate of an HTTPS endpoint as a sender would, without a request. */
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { describeFailure } from './send-failure.ts'

const HANDSHAKE_LIMIT_MS = 5_000

/**
 * Explains why the certificate at a URL isn't valid; null if it is or wasn't shown. Never rejects.
 */
export function findCertificateProblem(
  url: string,
  authorities: readonly string[],
): Promise<string | null> {
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
    socket.setTimeout(HANDSHAKE_LIMIT_MS, () => end(null))
    socket.once('secureConnect', () => {
      // Ended, not destroyed, or the server would report a broken handshake.
      socket.end()
      resolve(null)
    })
    socket.on('error', (error) => {
      const { kind, reason } = describeFailure(error, host)
      end(kind === 'certificate' ? `The certificate of ${host} isn't valid (${reason}).` : null)
    })
  })
}
