import { writtenPart } from './generated-docs.ts'

/** Generated files, which are counted apart because nobody writes them. */
const GENERATED = /^(package-lock\.json|test\/golden\/(?!.*\.ts$).*)$/u
const KINDS = ['source', 'tests', 'other', 'docs', 'test data', 'generated'] as const
type Kind = (typeof KINDS)[number]

const TEST_CODE = /\.(tsx?|mjs|py|sh)$/u

/**
 * Returns the kind of a file by its path: `source` has no tests, `other` is the rest, such as
 * scripts. The generated parts of `docs` are counted as `generated`.
 */
export function kindOf(path: string): Kind {
  if (GENERATED.test(path)) return 'generated'
  if (path.startsWith('test/') || /\.test\.tsx?$/u.test(path)) {
    return TEST_CODE.test(path) ? 'tests' : 'test data'
  }
  if (/^src\/.*\.tsx?$/u.test(path)) return 'source'
  return path.endsWith('.md') ? 'docs' : 'other'
}

interface Sum {
  characters: number
  files: number
}

interface SumOfKind extends Sum {
  words?: number
  folders: Record<string, Sum>
}

/**
 * Returns a folder two levels deep, or three in the deepest parts: `src/core/store`,
 * `src/renderer/features/list`.
 */
function folderOf(path: string) {
  const folders = path.split('/').slice(0, -1)
  const depth = /^src\/(core|renderer|shared)\//u.test(path) ? 3 : 2
  const named = folders.slice(0, folders[2] === 'features' ? 4 : depth)
  return named.length === 0 ? '.' : named.join('/')
}

/** Counts words: table bars and lines aren't. */
function wordsOf(text: string): number {
  return text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

export function sumsOf(files: readonly { path: string; text: string }[]) {
  const sums = new Map<Kind, SumOfKind>()
  for (const kind of KINDS) sums.set(kind, { characters: 0, files: 0, folders: {} })
  for (const { path, text } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const kind = kindOf(path)
    const ofKind = sums.get(kind)!
    const ofFolder = (ofKind.folders[folderOf(path)] ??= { characters: 0, files: 0 })
    const written = kind === 'docs' ? writtenPart(text) : text
    for (const sum of [ofKind, ofFolder]) {
      sum.characters += written.length
      sum.files++
    }
    if (kind === 'docs') {
      sums.get('generated')!.characters += text.length - written.length
      ofKind.words = (ofKind.words ?? 0) + wordsOf(written)
    }
  }
  return Object.fromEntries(sums) as Record<Kind, SumOfKind>
}

type Unit = 'characters' | 'files' | 'words'

type Limits = Partial<Record<Kind, Partial<Record<Unit, number>>>>

function figures(limits: Limits, sums: Record<Kind, SumOfKind>) {
  return KINDS.flatMap((kind) =>
    (['characters', 'files', 'words'] satisfies Unit[]).flatMap((unit) => {
      const limit = limits[kind]?.[unit]
      return limit === undefined ? [] : [{ kind, unit, limit, value: sums[kind][unit] ?? 0 }]
    }),
  )
}

/** Returns a line for each figure above its limit, and for each below. */
export function overAndUnder(limits: Limits, sums: Record<Kind, SumOfKind>) {
  const line = ({ kind, unit, limit, value }: ReturnType<typeof figures>[number]) =>
    `${kind} has ${value.toLocaleString('en')} ${unit}, the limit is ${limit.toLocaleString('en')}`
  const all = figures(limits, sums)
  return {
    over: all.filter(({ limit, value }) => value > limit).map(line),
    under: all.filter(({ limit, value }) => value < limit).map(line),
  }
}

/** Returns the limits, each lowered to its figure if that is smaller. */
export function lowered(limits: Limits, sums: Record<Kind, SumOfKind>): Limits {
  const result: Limits = {}
  for (const { kind, unit, limit, value } of figures(limits, sums)) {
    result[kind] = { ...result[kind], [unit]: Math.min(limit, value) }
  }
  return result
}
