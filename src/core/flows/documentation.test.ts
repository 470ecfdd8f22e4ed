/**
 * Compares docs/flow-reference.md and docs/flow.schema.json with the code. `npx vitest run
 * src/core/flows/documentation.test.ts -u` rewrites the list of flows.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectPage, rowsOf, withPart } from '../../../test/support/docs-tables.ts'
import { flowComparisonSchema, flowSchema, flowStepSchema } from '../../shared/model/flow.ts'
import { builtInFlows } from './built-in/index.ts'
import { flowJsonSchema } from './read-flow.ts'

const docs = join(import.meta.dirname, '../../../docs')
const FILE = join(docs, 'flow-reference.md')
const page = readFileSync(FILE, 'utf8')

const codes = (cell: string | undefined) =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

test('the page lists the built-in flows with their descriptions', async () => {
  const link = (section: string) => `[${section}](service.md#section-${section.replace('.', '-')})`
  const items = builtInFlows().map(({ flow }) => {
    const mode = flow.mode === 'live' ? 'Live mode. ' : ''
    return `- \`${flow.name}\`: ${flow.about} (${mode}Spec ${(flow.sections ?? []).map(link).join(', ')})`
  })
  await expectPage(FILE, withPart(page, 'flows', items.join('\n')))
})

test('the tables list all steps and comparisons with all their fields', () => {
  const common = ['kind', 'name', 'title', 'only']
  expect(rowsOf(page, 'kind').map(([kind, , fields]) => [codes(kind)[0], codes(fields)])).toEqual(
    flowStepSchema.options.map(({ shape }) => [
      [...shape.kind.values][0],
      Object.keys(shape).filter((field) => !common.includes(field)),
    ]),
  )
  expect(rowsOf(page, 'comparison').flatMap(([names]) => codes(names))).toEqual(
    Object.keys(flowComparisonSchema.shape),
  )
  expect(Object.keys(flowSchema.shape).filter((field) => !page.includes(`\`${field}\``))).toEqual(
    [],
  )
})

test('the published schema matches the code', () => {
  expect(JSON.parse(readFileSync(join(docs, 'flow.schema.json'), 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(flowJsonSchema())),
  )
})
