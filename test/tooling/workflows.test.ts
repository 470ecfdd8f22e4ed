/**
 * Tests GitHub's workflows, which run nowhere else: their schema and expressions with GitHub's own
 * parser, the actions that they use, the scripts that they call, and their rights.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '../support/github-parser.ts'

const workflows = globSync('.github/workflows/*.yml').map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}))

async function problems(text: string): Promise<string[]> {
  const { context, value } = parseWorkflow(
    { name: 'workflow.yml', content: text },
    new NoOperationTraceWriter(),
  )
  if (value !== undefined) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map(({ message }) => message)
}

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly uses?: string
  readonly permissions?: object
  readonly 'timeout-minutes'?: number
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly permissions?: object
  readonly jobs: Readonly<Record<string, Job>>
}

type Token =
  | string
  | number
  | boolean
  | null
  | { readonly type: 1; readonly seq: readonly Token[] }
  | { readonly type: 2; readonly map: readonly { readonly Key: Token; readonly Value: Token }[] }
  | { readonly type: 3; readonly expr: string }

/** Returns the parser's tokens as plain values, with expressions as text. */
function plain(token: Token): unknown {
  if (typeof token !== 'object' || token === null) return token
  if (token.type === 3) return `\${{ ${token.expr} }}`
  if (token.type === 1) return token.seq.map(plain)
  return Object.fromEntries(token.map.map(({ Key, Value }) => [String(plain(Key)), plain(Value)]))
}

const read = (text: string): Workflow => {
  const { value } = parseWorkflow(
    { name: 'workflow.yml', content: text },
    new NoOperationTraceWriter(),
  )
  return plain(JSON.parse(JSON.stringify(value)) as Token) as Workflow
}

const jobs = workflows.flatMap(({ file, text }) =>
  Object.entries(read(text).jobs).map(([name, job]) => ({ at: `${basename(file)}, ${name}`, job })),
)
const steps = jobs.flatMap(({ at, job }) => (job.steps ?? []).map((step) => ({ at, step })))
const runs = steps.flatMap(({ at, step }) =>
  step.run === undefined ? [] : [{ at, run: step.run }],
)

test.each(workflows)(
  '$file follows the schema, and its expressions are valid',
  async ({ text }) => {
    expect(await problems(text)).toEqual([])
  },
)

test.each([
  ['timeout-minutes: 20', 'timeout-minuts: 20', /Unexpected value 'timeout-minuts'/],
  ['matrix.os }}', 'matrx.os }}', /Unrecognized named-value: 'matrx'/],
  ['runs-on: ubuntu-24.04', 'runs-on: ubuntu-24.04\n    needs: nothing', /nothing/],
])('a workflow with %j changed to %j is invalid', async (from, to, says) => {
  const text = workflows.find(({ file }) => file.endsWith('packaged.yml'))?.text ?? ''
  expect(text).toContain(from)
  expect((await problems(text.replaceAll(from, to))).join('\n')).toMatch(says)
})

test('every action is pinned to the commit that the docs list with its version', () => {
  const docs = readFileSync('docs/contributing/desktop-internals.md', 'utf8')
  const listed = [
    ...docs.matchAll(/^\| `(actions\/[\w-]+)` +\| (v[\d.]+) +\| `([0-9a-f]{40})` +\|$/gm),
  ].map(([, name, version, commit]) => `${name}@${commit} # ${version}`)
  const files = [...workflows.map(({ text }) => text), readFileSync('action.yml', 'utf8')]
  const used = files.flatMap((text) =>
    [...text.matchAll(/^ +(?:- )?uses: (.*)$/gm)].map(([, action]) => action ?? ''),
  )
  expect(used.filter((action) => action.startsWith('./') && !existsSync(action))).toEqual([])
  expect(new Set(used.filter((action) => !action.startsWith('./')))).toEqual(new Set(listed))
})

test('every script that a workflow calls exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>
  }
  const called = (pattern: RegExp) =>
    runs.flatMap(({ run }) => [...run.matchAll(pattern)].map(([, name]) => name ?? ''))
  const ofNpm = [...called(/\bnpm run ([\w-]+)/g), ...called(/\bnpm (test|start)\b/g)]
  expect(new Set(ofNpm)).toContain('smoke')
  expect(ofNpm.filter((name) => scripts[name] === undefined)).toEqual([])
  expect(called(/\bnode (\S+)/g).filter((file) => !existsSync(file))).toEqual([])
  expect(
    called(/\bnpx --no-install (\S+)/g).filter((name) => !existsSync(`node_modules/.bin/${name}`)),
  ).toEqual([])
})

// Windows has another program of this name.
test.skipIf(process.platform === 'win32')(
  'every script is valid for bash, and nothing from outside is pasted into it',
  () => {
    for (const { at, run } of runs) {
      // Anyone can open a pull request with any title and branch, and text that GitHub fills in
      // here becomes code.
      const filledIn = [...run.matchAll(/\$\{\{(.*?)\}\}/gs)].map(
        ([, expression]) => expression ?? '',
      )
      expect(
        filledIn.filter((text) => /\b(github|inputs|env|vars|secrets|steps|needs)\b/.test(text)),
        at,
      ).toEqual([])
    }
    const scripts = runs.map(({ run }) => `(\n${run.replaceAll(/\$\{\{.*?\}\}/gs, 'FILLED_IN')}\n)`)
    const isValid = (input: string) =>
      spawnSync('bash', ['-n'], { input, encoding: 'utf8' }).stderr === ''
    const wrong = isValid(scripts.join('\n'))
      ? []
      : runs.filter((_, index) => !isValid(scripts[index] ?? ''))
    expect(wrong).toEqual([])
  },
)

test('only the draft of a release may write, and no job runs for hours', () => {
  for (const { file, text } of workflows)
    expect(read(text).permissions, file).toEqual({ contents: 'read' })
  expect(
    jobs
      .filter(({ job }) => job.permissions !== undefined)
      .map(({ at, job }) => [at, job.permissions]),
  ).toEqual([
    ['release.yml, draft', { contents: 'write', 'id-token': 'write', attestations: 'write' }],
  ])
  const ownJobs = jobs.filter(({ job }) => job.uses === undefined)
  expect(
    ownJobs.filter(({ job }) => !((job['timeout-minutes'] ?? 360) <= 60)).map(({ at }) => at),
  ).toEqual([])
})

test('the job that may write installs no packages, and no checkout keeps its token', () => {
  const draft = runs.filter(({ at }) => at === 'release.yml, draft').map(({ run }) => run)
  expect(draft.length).toBeGreaterThan(0)
  expect(draft.filter((run) => /\bnpm|npx/.test(run))).toEqual([])
  const checkouts = steps.filter(({ step }) => step.uses?.startsWith('actions/checkout@') === true)
  expect(checkouts.length).toBeGreaterThan(5)
  expect(
    checkouts
      .filter(({ step }) => String(step.with?.['persist-credentials']) !== 'false')
      .map(({ at }) => at),
  ).toEqual([])
})
