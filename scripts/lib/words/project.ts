/** Reads every file of the project that contains words, and checks them with the lint. */
import { globSync, readFileSync } from 'node:fs'
import { commentFindings } from './comments.ts'
import { piecesOfPage, piecesOfSource, type Piece } from './extract.ts'
import { privateNamesIn } from './names.ts'
import { findings } from './patterns.ts'
import { createSpelling } from './spelling.ts'

export interface FilePieces {
  readonly path: string
  readonly group: string
  readonly pieces: readonly Piece[]
  readonly names: ReturnType<typeof privateNamesIn>
  /** Comments that break a rule of form, in a source. */
  readonly comments: ReturnType<typeof commentFindings>
}

const WITH_WORDS = [
  'src/**/*.{ts,tsx}',
  'scripts/**/*.{ts,mjs}',
  'bin/*.mjs',
  'test/**/*.ts',
  '*.config.ts',
  'docs/**/*.md',
  'README.md',
  'AGENTS.md',
  'skills/**/*.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
]
/** Files that must violate the rules, and words that the lint quotes. */
const LEFT_OUT = [
  'test/lint/fixtures.ts',
  'scripts/lib/words/patterns.ts',
  'scripts/lib/words/exceptions.ts',
]

function groupOf(path: string): string {
  const [top = '', second = '', third = '', fourth = ''] = path.split('/')
  if (path.endsWith('.md')) return `page ${path}`
  if (top === 'src' && second === 'renderer' && third === 'features') return `screen ${fourth}`
  if (top === 'src' && second === 'renderer') return `window ${third}`
  if (top === 'src' && second === 'cli' && third === 'commands')
    return `command ${fourth.replace(/(?:\.test)?\.ts$/, '')}`
  if (top === 'src' && (second === 'core' || second === 'shared'))
    return `${second} ${third.replace(/\.ts$/, '')}`
  return top === 'src' ? second : top
}

/** Reads the words of all files, or of the files and folders in `paths`. */
export function readProject(paths: readonly string[] = []): FilePieces[] {
  const isWanted = (path: string): boolean =>
    paths.length === 0 ||
    paths.some((wanted) => path === wanted || path.startsWith(`${wanted.replace(/\/$/, '')}/`))
  return globSync(WITH_WORDS, { exclude: LEFT_OUT })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => isWanted(path) && !LEFT_OUT.includes(path))
    .toSorted()
    .map((path) => {
      const source = readFileSync(path, 'utf8')
      return {
        path,
        group: groupOf(path),
        pieces: path.endsWith('.md') ? piecesOfPage(source) : piecesOfSource(path, source),
        names: path.endsWith('.md') ? [] : privateNamesIn(path, source),
        comments: path.endsWith('.md') ? [] : commentFindings(path, source),
      }
    })
}

export interface Exception {
  /** File, and the words that may stay in it. */
  readonly path: string
  readonly words: string
  readonly reason: string
}

/** Returns findings of the lint, without the exceptions: `path:line: pattern: words`. */
export function lintWords(
  files: readonly FilePieces[],
  exceptions: readonly Exception[],
): string[] {
  const spelling = createSpelling()
  const isExcepted = (path: string, text: string): boolean =>
    exceptions.some((exception) => exception.path === path && text.includes(exception.words))
  return files.flatMap(({ path, pieces, names, comments }) => [
    ...comments
      .filter(({ text }) => !isExcepted(path, text))
      .map(({ line, rule, text }) => `${path}:${line}: comment: ${rule}\n    ${text}`),
    ...names
      .filter(({ text }) => !isExcepted(path, text))
      .map(({ line, text, instead }) => `${path}:${line}: name ${text}: Write "${instead}".`),
    ...pieces.flatMap((piece) => {
      if (isExcepted(path, piece.text)) return []
      const place = `${path}:${piece.line}`
      const spelled = spelling.misspelled(piece.text).map((word) => `${place}: spelling: ${word}`)
      return [
        ...findings(piece).map(({ name, say }) => `${place}: ${name}: ${say}\n    ${piece.text}`),
        ...spelled,
      ]
    }),
  ])
}
