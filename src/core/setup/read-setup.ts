/** Reads a setup file and reports all problems at once, each with its line and what to do. */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { scanJson } from '../../shared/json/scan.ts'
import { type FileProblem, problemLines } from '../../shared/model/file-problem.ts'
import { type Setup, setupSchema } from '../../shared/model/setup.ts'
import { SETUP_FILE_BYTES } from '../../shared/model/setup-file.ts'
import { type JsonFile, readJsonFile } from '../base/json-file.ts'
import { type ExplainIssue, parseFileValue, issueProblems } from '../base/schema-problems.ts'
import { setupProblems } from './setup-problems.ts'

/** Maximum nesting: a setup needs five levels. */
const MAX_DEPTH = 20
const NEEDED = 'Write an object with `"countersign": 1`.'

export interface ReadSetup {
  readonly setup: Setup
  /** Adds the place of a problem that reading other files found. */
  problem: JsonFile['problem']
}

const sink = { key() {}, scalar() {}, open() {}, close() {} }

/** Explains a secret in clear, whose value must not be shown. */
const explainSetupIssue: ExplainIssue = (issue, name, value) => {
  const [list, , field] = issue.path
  const isSecret =
    (['secret', 'key', 'clientSecret'].includes(String(field)) && list !== 'settings') ||
    (list === 'hooks' && field === 'headers' && issue.path.length === 4)
  if (!isSecret || issue.code !== 'invalid_type' || typeof value !== 'string') return null
  return [
    `${name} is written in clear.`,
    'Write { "env": "NAME" } or { "file": "PATH" } instead. If the file was ever committed, replace the secret at the service too.',
  ]
}

function parseSetup(text: string): ReadSetup | { readonly problems: readonly FileProblem[] } {
  const unlike = (message: string) => ({
    problems: [{ path: '', line: 1, column: 1, message, fix: 'Check that it is a setup file.' }],
  })
  if (Buffer.byteLength(text) > SETUP_FILE_BYTES) return unlike('The file is larger than 1 MiB.')
  const file = readJsonFile(text, NEEDED)
  if (!('value' in file)) return { problems: [file] }
  if (scanJson(text, sink, { byteOrderMark: true, maxDepth: MAX_DEPTH }).outcome !== 'json')
    return unlike(`The file nests objects more than ${MAX_DEPTH} deep.`)
  const inherited = file.membersNamed(['__proto__', 'constructor', 'prototype'])
  const parsed = parseFileValue(setupSchema, file.value)
  const issues = parsed.success
    ? setupProblems(parsed.data).map(({ path, message, fix }) => file.problem(path, message, fix))
    : parsed.error.issues.flatMap((issue) => issueProblems(issue, file, explainSetupIssue))
  const isNew = ({ line, column }: FileProblem) =>
    !inherited.some((one) => one.line === line && one.column === column)
  const problems = [...file.duplicates, ...inherited, ...issues.filter(isNew)]
  if (parsed.success && problems.length === 0) return { setup: parsed.data, problem: file.problem }
  return { problems }
}

export function invalidSetup(file: string, problems: readonly FileProblem[]): AppError {
  const sorted = problems.toSorted(
    (one, other) => one.line - other.line || one.column - other.column,
  )
  return new AppError('INVALID_SETUP', problemLines(file, sorted), { details: sorted })
}

/** Throws `INVALID_SETUP` with a line per problem; `file` is its name in them. */
export function readSetup(text: string, file: string): ReadSetup {
  const read = parseSetup(text)
  if ('setup' in read) return read
  throw invalidSetup(file, read.problems)
}

/** Returns the published schema of setup files (`countersign.schema.json`). */
export function setupJsonSchema(): object {
  return {
    title: 'A setup of Countersign',
    ...z.toJSONSchema(setupSchema, { io: 'input' }),
  }
}
