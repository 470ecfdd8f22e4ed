/** The URL that is signed for in place of the hook's own: the one that the receiver believes it has (section 5.2). */
import { AppError } from '../../shared/contract/errors.ts'

/** Throws `INVALID_INPUT` where it is no URL; null: the hook's own. */
export function checkSignedUrl(registeredUrl: string | null): void {
  if (registeredUrl === null || URL.canParse(registeredUrl)) return
  throw new AppError('INVALID_INPUT', `"${registeredUrl}" is no URL. Give the URL that your handler believes it has.`, {
    details: { field: 'registeredUrl' },
  })
}
