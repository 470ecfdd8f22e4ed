/** docs/flows.md and docs/flow.schema.json say what the code does. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { flowComparisonSchema } from '../../shared/model/flow-rule.ts'
import { flowSchema, flowStepSchema } from '../../shared/model/flow.ts'
import { builtInFlows } from './built-in/index.ts'
import { flowJsonSchema } from './read-flow.ts'

const docs = join(import.meta.dirname, '../../../docs')
const page = readFileSync(join(docs, 'flows.md'), 'utf8')

/** The rows of the table whose first heading is this, cell by cell. */
function table(heading: string): string[][] {
  const lines = page.slice(page.search(new RegExp(`^\\| ${heading} +\\|`, 'm'))).split('\n')
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return lines.slice(2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const codes = (cell: string | undefined) => [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

test('the table of the built-in flows has each of them, in order, with its mode, what it shows, and its sections', () => {
  expect(table('flow')).toEqual(
    builtInFlows().map(({ flow }) => [`\`${flow.name}\``, flow.mode, flow.about, (flow.sections ?? []).join(', ')]),
  )
})

test('the tables of steps and comparisons name every one, with all its fields', () => {
  const common = ['kind', 'name', 'title', 'only']
  expect(table('kind').map(([kind, , fields]) => [codes(kind)[0], codes(fields)])).toEqual(
    flowStepSchema.options.map(({ shape }) => [
      [...shape.kind.values][0],
      Object.keys(shape).filter((field) => !common.includes(field)),
    ]),
  )
  expect(table('comparison').flatMap(([names]) => codes(names))).toEqual(Object.keys(flowComparisonSchema.shape))
  expect(Object.keys(flowSchema.shape).filter((field) => !page.includes(`\`${field}\``))).toEqual([])
})

test('the published schema is that of the code', () => {
  expect(JSON.parse(readFileSync(join(docs, 'flow.schema.json'), 'utf8'))).toEqual(JSON.parse(JSON.stringify(flowJsonSchema())))
})
