/**
 * Promise 18: green never marks a failure. One table decides how every outcome looks
 * (`src/shared/model/outcomes.ts`, with its own test). This test checks every screen, command and
 * report: each outcome's look comes from the table, and other uses of green are listed with a
 * reason.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rowCells, runCells, stepCells } from '../../src/cli/flow-text.ts'
import { notificationCells } from '../../src/cli/commands/trigger.ts'
import { findFlow } from '../../src/core/flows/built-in/index.ts'
import { checkOutcomes } from '../../src/shared/model/check-outcomes.ts'
import { flowChanges, outcomeOfRun, stepOutcomes } from '../../src/shared/model/flow-outcomes.ts'
import { doctorOutcomes } from '../../src/shared/model/service-outcomes.ts'
import { flowRunOf, flowRunStepOf, notificationOf } from '../support/model-values.ts'
import { outcomeCell, type Cell } from '../../src/cli/print.ts'

const root = join(import.meta.dirname, '../..')

/** Green that isn't an outcome: the file, and its meaning. */
const otherGreen: Readonly<Record<string, string>> = {
  'src/cli/print.ts': 'the codes of the colors',
  'src/cli/delivery-table.ts': 'a verdict: the signature is valid',
  'src/cli/signature-text.ts': 'a computed signature that is right',
  'src/cli/compared-messages.ts': 'an added line of a comparison',
  'src/cli/hook-list.ts': 'an active hook',
  'src/cli/commands/handlers.ts': 'the last check of a handler, without failures',
  'src/core/reports/report-css.ts': 'the table in reports',
  'src/shared/flow-diagram/drawing.ts': 'the table in drawings',
  'src/renderer/ui/outcome-mark.tsx': 'the table in the window',
  'src/renderer/ui/copy.tsx': 'copied',
  'src/renderer/ui/code-theme.ts': 'a field that meets what a step expects',
  'src/renderer/app/toasts.tsx': 'a notice, whose tone its sender takes from the table',
  'src/renderer/features/sandbox/object-columns.tsx':
    'a cleared payment, an active location, a consent',
  'src/renderer/features/hooks/hook-facts.tsx': 'an active hook',
  'src/renderer/features/detail/signature-tools.tsx': 'a signature that matches',
  'src/renderer/ui/message-differences.tsx': 'an added line of a comparison',
  'src/renderer/features/detail/signature-tab.tsx': 'a verdict: the signature is valid',
  'src/renderer/features/detail/compared-signatures.tsx': 'a verdict: the signature is valid',
  'src/renderer/features/detail/signed-parts.tsx': 'equal characters of two signatures',
  'src/renderer/features/detail/history-event.tsx': 'a rule that holds',
  'src/renderer/features/list/capture-state.tsx': 'the receiver listens',
  'src/renderer/ui/verdict.tsx': 'a verdict: the signature is valid',
  'src/renderer/features/settings/setting-list.tsx': 'secrets are protected',
  'src/renderer/features/settings/settings-screen.tsx': 'a setting that is saved',
  'src/renderer/features/settings/setting-controls.tsx': 'a setting that is saved',
  'src/renderer/features/replay/body-editor.tsx': 'a body that is JSON',
  'src/renderer/features/handlers/check-run.tsx': 'the score of a check without failures',
  'src/renderer/features/flows/flow-results.tsx': 'the share of flows that passed',
  'src/renderer/features/handlers/handler-check.tsx': 'cases that passed',
  'src/renderer/features/handlers/handler-figures.tsx': 'flows and cases that passed',
  'src/renderer/features/handlers/handler-flows.tsx': 'flows that passed',
  'src/renderer/features/handlers/handler-parts.tsx': 'the handler is reachable',
  'src/renderer/features/body/body-view.tsx': 'a checked field that is as expected',
  'src/renderer/features/compare/diff-view.tsx': 'an added line of a comparison',
}

const GREEN = /'green'|\b(?:text|bg|border|fill|stroke)-ok\b|var\(--ok\)/

describe('every screen, command and report', () => {
  const sources = globSync(
    'src/{cli,renderer,core/reports,core/flows,core/check,shared}/**/*.{ts,tsx}',
    { cwd: root },
  )
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.endsWith('.test.ts'))

  test('takes its green from the table of outcomes, or is listed here with a reason', () => {
    const green = sources.filter((file) => GREEN.test(readFileSync(join(root, file), 'utf8')))
    expect(green.filter((file) => otherGreen[file] === undefined)).toEqual([])
    expect(Object.keys(otherGreen).filter((file) => !sources.includes(file))).toEqual([])
  })

  test("doesn't word outcomes itself", () => {
    const own = /:\s*'(?:Mended|Passed|Still failing|Still passing)'/
    expect(sources.filter((file) => own.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
  })
})

const greens = (cells: readonly Cell[]) =>
  cells.filter((cell) => typeof cell === 'object' && cell.color === 'green').length

describe('in the terminal no failure is green', () => {
  const step = flowRunStepOf()
  const run = flowRunOf()

  test.each(['fail', 'missing', 'skip'] as const)('a step with outcome %s', (outcome) => {
    expect(greens(stepCells({ ...step, outcome }))).toBe(0)
    expect(greens(stepCells(step))).toBe(1)
  })

  test.each([
    { state: 'done', outcome: 'fail', handler: 'http://a' },
    { state: 'done', outcome: 'pass', handler: null },
    { state: 'cancelled', outcome: null, handler: null },
    { state: 'interrupted', outcome: null, handler: null },
    { state: 'running', outcome: null, handler: null },
  ] as const)('a run that is $state with $outcome at $handler', (part) => {
    expect(greens(runCells({ ...run, ...part }))).toBe(0)
    expect(outcomeOfRun(part).tone).not.toBe('good')
  })

  test.each(['regressed', 'still-failing', 'unchanged'] as const)(
    'a flow that is %s since the last run',
    (change) => {
      const { flow } = findFlow({ name: 'stale' })
      const row = { flow, run: null, outcome: 'fail', happened: '' } as const
      expect(greens(rowCells(row, change))).toBe(0)
      expect(flowChanges[change].tone).not.toBe('good')
    },
  )

  test.each(['failed', 'pending'] as const)('a notification that is %s', (state) => {
    const notification = notificationOf({ state })
    expect(greens(notificationCells(notification))).toBe(0)
  })

  test('a case, a step and a setup check, with each outcome', () => {
    for (const table of [checkOutcomes, stepOutcomes, doctorOutcomes])
      for (const [name, outcome] of Object.entries(table))
        expect([name, outcomeCell(outcome).color === 'green']).toEqual([
          name,
          name === 'pass' || name === 'ok',
        ])
  })
})
