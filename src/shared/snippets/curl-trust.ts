/** Certificates in a curl command, so that a copy runs unchanged. */
import { shellWord } from './shell-word.ts'
import { targetKind } from '../http.ts'

export interface CurlTrust {
  /** Receiver's URL; if null, every HTTPS URL on this computer counts. */
  readonly receiver: string | null
  readonly caFile: string | null
}

/** Returns curl's options for the target's certificate; only the receiver's is verified here. */
export function curlCertificateOptions(
  target: string,
  { receiver, caFile }: CurlTrust,
): readonly string[] {
  if (!/^https:/i.test(target)) return []
  const kind = targetKind(target, receiver)
  if (kind !== 'receiver' && kind !== 'here') return []
  const isOurs = kind === 'receiver' || receiver === null
  return isOurs && caFile !== null ? [`--cacert ${shellWord(caFile)}`] : ['--insecure']
}
