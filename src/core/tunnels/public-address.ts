/** A public address as it is pasted: what has to be true of it, so that the URLs made of it are those that the service calls. */
import { AppError } from '../../shared/contract/errors.ts'

/**
 * The address without slashes at its end. Throws `INVALID_INPUT` where it is none that hooks can be registered under: only HTTPS is
 * called (section 2.1 of the interface), and the path of a hook is put behind it.
 */
export function readPublicAddress(given: string): string {
  const refuse = (why: string) => new AppError('INVALID_INPUT', why, { details: { field: 'url' } })
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null) throw refuse(`\`${given}\` is no URL. Paste the whole address, such as https://quiet-lake.tunnel.example.`)
  if (url.protocol !== 'https:')
    throw refuse(
      `The service calls HTTPS alone (section 2.1), and this address begins with ${url.protocol}//. Give that with https://.`,
    )
  if (url.username !== '' || url.password !== '') throw refuse('The address holds a user before its host. Leave that out.')
  if (given.includes('?') || given.includes('#'))
    throw refuse(
      'The path of each hook is put behind the address, so it can have no query and no fragment. Leave out what begins with ? or #.',
    )
  return given.replace(/\/+$/, '')
}
