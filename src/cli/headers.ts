/** Custom headers as they are written on the command line: `Name: value`. */
import { InvalidArgumentError } from 'commander'

export type Headers = Readonly<Record<string, string>>

/** Reads one header, and gathers it with those given before. Which names and values are taken, the interface's rules say (section 4.3). */
export function readHeader(text: string, previous: Headers | undefined): Headers {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(colon, 0)).trim()
  if (name === '') throw new InvalidArgumentError("It takes 'Name: value'.")
  if (Object.keys(previous ?? {}).some((known) => known.toLowerCase() === name.toLowerCase()))
    throw new InvalidArgumentError(`The header ${name} was given twice.`)
  return { ...previous, [name]: text.slice(colon + 1).trim() }
}
