/** Names in code that only this project used, with the ordinary word that replaces each. */
import { parseSync } from 'vite'

/** Parts of names in lower case with dashes, and what to write instead. */
const privateWords: readonly (readonly [find: RegExp, say: string])[] = [
  [/\bdepart(?:s|ed|ures?)?\b/, 'mismatch'],
  [/\bstrays?\b/, 'unexpected delivery'],
  [/\b(?:ride|riding)\b/, 'parent, carrier'],
  [/\bgive-way\b/, 'pause'],
  [/\bkick(?:s|ed)?\b/, 'proceed'],
  [/\bin-hand\b/, 'concerned'],
  [/\bstanding\b/, 'first response'],
  [/\b(?:told|tells?-of)\b/, 'reported, printed'],
  [/\blook(?:s|ed|ing)?\b/, 'status, style, check'],
  [/\bcame\b/, 'received, arrived'],
  [/\bsurroundings?\b/, 'context'],
  [/\b(?:leavings|makings?)\b/, 'deletable, seed'],
  [/\b(?:scene|praise|stories)\b/, 'event context, pass message'],
  [/\b(?:genuine|oddity|oddities|ingredient)\b/, 'valid, finding, part'],
  [/\b(?:replay-jobs?|job-id)\b/, 'replay'],
]

const ANY = new RegExp(
  privateWords
    .map(([{ source }]) => source.replaceAll(String.raw`\b`, '').replace('-', '-?'))
    .join('|'),
  'i',
)

/** Converts `leaveRide` and `LEAVE_RIDE` to `leave-ride`. */
const inDashes = (name: string) =>
  name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '-')
    .replaceAll('_', '-')
    .toLowerCase()

const isField = (path: string, name: string) =>
  /^_?strays$/.test(name) || (name === 'told' && /flow|model-values/.test(path))

/** Returns the private names in a source and its path (line 0), each with its replacement. */
export function privateNamesIn(path: string, source: string) {
  const names: { line: number; text: string; instead: string }[] = []
  const visitName = (text: string, start: number | null) => {
    const dashedName = isField(path, text) ? undefined : inDashes(text)
    const instead = privateWords.find(
      ([find]) => dashedName !== undefined && find.test(dashedName),
    )?.[1]
    if (instead === undefined) return
    const line = start === null ? 0 : source.slice(0, start).split('\n').length
    names.push({ line, text, instead })
  }
  for (const text of path.split(/[/.]/)) visitName(text, null)
  if (!ANY.test(source)) return names
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, name, start }: { type?: unknown; name?: unknown; start?: number } = value
    if (typeof name === 'string' && typeof type === 'string' && type.endsWith('Identifier'))
      visitName(name, start ?? null)
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(parseSync(path, source).program)
  return names
}
