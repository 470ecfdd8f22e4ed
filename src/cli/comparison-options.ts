/** Options of `replay` that compare its responses, and how they combine. */
import { readFileSync } from 'node:fs'
import { parseBaseline } from '../shared/import-export/baseline-file.ts'
import { handlerNameIn } from '../shared/http.ts'
import { failOnSchema, type Baseline } from '../shared/model/run-comparison.ts'
import { UsageError, withFilePath } from './context.ts'
import {
  choiceOption,
  flagOf,
  nonBlankOption,
  type Input,
  type Inputs,
  type ValuesOf,
} from './options/input.ts'
import { secretOptions } from './options/secret-options.ts'
import { reportFileOptions } from './report-files.ts'

const { junit, html, summary } = reportFileOptions

function onlyWith<Value>(other: string, option: Input<Value>): Input<Value> {
  return option.with({ help: `with ${other}: ${option.help}` })
}

/** Options with which a comparison ends, also a resumed one. */
export const reportOptions = {
  save: nonBlankOption('<file>', 'save the responses as a baseline for --against'),
  failOn: choiceOption(
    '<what>',
    'with --against: exit with 1 if anything changed (default), or only if something regressed',
    failOnSchema.options,
  ),
  junit: onlyWith('--against', junit),
  html: onlyWith('--against', html),
  summary: onlyWith('--against', summary),
}

const { secret, secretFile } = secretOptions

/** Options that send the deliveries of a file. */
export const fileOptions = {
  from: nonBlankOption(
    '<file>',
    'send the deliveries of an export instead of stored ones; needs --to URL and a secret, and no data folder',
  ),
  secret: onlyWith('--from', secret),
  secretFile: onlyWith('--from', secretFile),
  prefix: nonBlankOption('<name>', 'with --from: prefix of the header names'),
}

type Given = ValuesOf<typeof reportOptions> &
  ValuesOf<typeof fileOptions> & {
    readonly to: string | undefined
    readonly against: string | undefined
    readonly resume: string | undefined
  }

/** Throws `UsageError` for options that have no effect together, or contradict each other. */
export function checkComparisonUsage(
  given: Given,
  typed: readonly string[],
  options: Inputs,
): void {
  const { against, save, from, to, resume } = given
  const requireFor = (names: readonly string[], other: string) => {
    const name = names.find((one) => typed.includes(one))
    if (name !== undefined) throw new UsageError(`${flagOf(name, options[name])} needs ${other}.`)
  }
  const compares = against !== undefined || resume !== undefined
  if (!compares) requireFor(['failOn', 'junit', 'html', 'summary'], '--against')
  if (!compares && save === undefined) requireFor(['ignore', 'headersIn'], '--against or --save')
  if (from === undefined) {
    requireFor(['secret', 'secretFile', 'prefix'], '--from')
    return
  }
  if (to === undefined || handlerNameIn(to) !== null)
    throw new UsageError('--from needs --to with a URL, because it uses no saved handlers.')
  if (against !== undefined && handlerNameIn(against) !== null)
    throw new UsageError('--from needs --against with a URL or a file: it uses no saved handlers.')
  if (against === 'previous')
    throw new UsageError('--from has no earlier responses. Compare with a URL or a file.')
}

export interface Against {
  readonly against: string | null
  readonly baseline: Baseline | null
}

/** Reads what to compare with: an endpoint, `previous`, or a baseline's file. */
export function readAgainst(against: string | undefined): Against {
  if (against === undefined) return { against: null, baseline: null }
  const isEndpoint = handlerNameIn(against) !== null || /^https?:\/\//i.test(against)
  if (isEndpoint || against === 'previous') return { against, baseline: null }
  return { against, baseline: parseBaseline(readBaselineText(against), against) }
}

function readBaselineText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing)
      throw new UsageError(
        `Baseline ${file} not found. Save one with --save ${file}, or compare with @NAME, a URL with http:// or "previous".`,
      )
    throw withFilePath(error, file)
  }
}
