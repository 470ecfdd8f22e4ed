/** Keys by which entries of a file and of the data folder are the same. */
import type { Hook } from '../../shared/model/hook.ts'

type KeyedHook = Pick<Hook, 'environment' | 'event' | 'url' | 'programId' | 'offerId'>

/** Returns a hook's key: its ID differs between data folders. */
export function hookKey({ environment, event, url, programId, offerId }: KeyedHook): string {
  return JSON.stringify([environment, event, url, programId, offerId])
}
