/** Writes hook secrets as `NAME=secret` lines for the configuration of a handler. */
import type { Hook } from '../shared/model/hook.ts'
import { secretNames } from '../shared/snippets/secret-names.ts'

interface NamedSecret {
  readonly hook: Pick<Hook, 'event' | 'environment'>
  readonly secret: string
}

/** Quotation marks that `.env` readers remove; double quotes would also expand `\n`. */
const quotes = ["'", '"', '`'] as const

/** Returns the secret bare if possible, else quoted; null if no quotes can enclose it. */
function quote(secret: string): string | null {
  if (/^[\w./+=:@%-]+$/.test(secret)) return secret
  const mark = quotes.find(
    (candidate) => !secret.includes(candidate) && !(candidate === '"' && secret.includes('\\')),
  )
  return mark === undefined ? null : `${mark}${secret}${mark}`
}

/** Whether shells read the line differently, because they expand text outside of single quotes. */
export function isForFilesOnly(line: string): boolean {
  return /^\w+=(?:`|".*[$`])/s.test(line)
}

/** Returns secrets with their variables; `line` is null if no `.env` file can hold the secret. */
export function environmentLines(
  secrets: readonly NamedSecret[],
): { readonly name: string; readonly line: string | null }[] {
  const names = secretNames(secrets.map(({ hook }) => hook))
  return secrets.map(({ secret }, index) => {
    const [name = '', quoted] = [names[index], quote(secret)]
    return { name, line: quoted === null ? null : `${name}=${quoted}` }
  })
}
