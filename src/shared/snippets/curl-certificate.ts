/** How curl is to take the certificate of a target, so that a command that is copied runs as it stands. */
import { targetKind } from '../http/target-kind.ts'
import { shellWord } from './shell-word.ts'

export interface CurlTrust {
  /** Address of the receiver; null where it is not known, which any HTTPS address of this machine may be then. */
  readonly receiver: string | null
  /** Certificate of the local authority; null where that is not known. */
  readonly caFile: string | null
}

/** The receiver's certificate verifies with our own authority; of what else is on this machine any is taken, as when we send. */
export function curlCertificateOptions(target: string, { receiver, caFile }: CurlTrust): readonly string[] {
  if (!/^https:/i.test(target)) return []
  const kind = targetKind(target, receiver)
  if (kind !== 'receiver' && kind !== 'here') return []
  const isOurs = kind === 'receiver' || receiver === null
  return isOurs && caFile !== null ? [`--cacert ${shellWord(caFile)}`] : ['--insecure']
}
