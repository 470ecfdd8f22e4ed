/**
 * `npm run words`: lists every string that people read by screen and command, with its file and
 * line, and the word count of each doc page.
 *
 *   npm run words                          strings and doc pages
 *   npm run words -- --kind comment        comments instead; also test, doc, all
 *   npm run words -- --count               only the counts
 *   npm run words -- --check               findings of the lint; exits with 1 if there are any
 *   npm run words -- … src/cli docs        only these files and folders
 */
import { parseArgs } from 'node:util'
import { countWords } from './lib/words/extract.ts'
import { exceptions } from './lib/words/exceptions.ts'
import { lintWords, readProject } from './lib/words/project.ts'

const kinds = ['string', 'comment', 'test', 'doc']
const { values, positionals } = parseArgs({
  options: {
    kind: { type: 'string', default: 'string' },
    count: { type: 'boolean' },
    check: { type: 'boolean' },
  },
  allowPositionals: true,
})
if (values.kind !== 'all' && !kinds.includes(values.kind)) {
  console.error(`Unknown kind "${values.kind}". Use one of: ${kinds.join(', ')}, all.`)
  process.exit(2)
}
const files = readProject(positionals)
if (files.length === 0) {
  console.error(`No files found in ${positionals.join(', ')}.`)
  process.exit(2)
}

if (values.check) {
  const findings = lintWords(files, exceptions)
  for (const line of findings) console.log(line)
  console.log(
    findings.length === 0
      ? `No findings in ${files.length} files.`
      : `${findings.length} findings.`,
  )
  process.exit(findings.length === 0 ? 0 : 1)
}

if (!values.count) {
  const isSelected = (piece) => values.kind === 'all' || piece.kind === values.kind
  for (const [group, members] of Map.groupBy(files, (file) => file.group)) {
    const lines = members.flatMap(({ path, pieces }) =>
      pieces.filter(isSelected).map(({ line, text }) => `  ${path}:${line}  ${text}`),
    )
    if (lines.length > 0) console.log(`\n${group}\n${lines.join('\n')}`)
  }
  console.log()
}

for (const kind of kinds) {
  const pieces = files.flatMap((file) => file.pieces.filter((piece) => piece.kind === kind))
  const words = pieces.reduce((sum, piece) => sum + countWords(piece.text), 0)
  if (pieces.length > 0)
    console.log(
      `${kind}: ${pieces.length.toLocaleString('en')}, ${words.toLocaleString('en')} words`,
    )
}
const pages = files.filter((file) => file.path.endsWith('.md'))
for (const { path, pieces } of pages)
  console.log(
    `  ${path}: ${pieces.reduce((sum, piece) => sum + countWords(piece.text), 0).toLocaleString('en')} words`,
  )
