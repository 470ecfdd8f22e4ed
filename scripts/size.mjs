/**
 * `npm run size`: how much there is to read, as a table per folder. Counts every text file that Git
 * knows or would add; `size-limit.json` has the limit of each sum.
 *
 *   npm run size               the table
 *   npm run size -- --check    fails if a sum differs from its limit; `npm run check` runs this
 *   npm run size -- --lower    lowers the limits to the present sums; a limit rises only by hand
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { lowered, overAndUnder, sumsOf } from './lib/size.ts'

const limitsFile = 'size-limit.json'
const { values } = parseArgs({
  options: { check: { type: 'boolean' }, lower: { type: 'boolean' } },
})

const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
const paths = execFileSync('git', listed, { encoding: 'utf8' }).split('\0')
const files = [...new Set(paths)].flatMap((path) => {
  if (path === '' || path === limitsFile || !existsSync(path)) return []
  const bytes = readFileSync(path)
  if (bytes.includes(0)) return []
  return [{ path, text: bytes.toString('utf8') }]
})
const sums = sumsOf(files)
const limits = JSON.parse(readFileSync(limitsFile, 'utf8'))

if (values.lower) {
  writeFileSync(limitsFile, `${JSON.stringify(lowered(limits, sums), null, 2)}\n`)
} else if (!values.check) {
  const number = (value) => value.toLocaleString('en').padStart(12)
  console.log(`${'folder'.padEnd(34)}${'characters'.padStart(12)}${'files'.padStart(12)}`)
  for (const [kind, { characters, files: count, words, folders }] of Object.entries(sums)) {
    const inWords = words === undefined ? '' : `  ${words.toLocaleString('en')} words`
    console.log(`\n${kind.padEnd(34)}${number(characters)}${number(count)}${inWords}`)
    for (const [folder, sum] of Object.entries(folders)) {
      console.log(`  ${folder.padEnd(32)}${number(sum.characters)}${number(sum.files)}`)
    }
  }
  console.log()
}

const { over, under } = overAndUnder(limits, sums)
for (const line of over) console.log(`Too large: ${line}. Take something away.`)
if (values.check && under.length > 0) {
  for (const line of under) console.log(`Smaller than its limit: ${line}.`)
  console.log('Run "npm run size -- --lower" and commit size-limit.json.')
}
process.exit(over.length > 0 || (values.check && under.length > 0) ? 1 : 0)
