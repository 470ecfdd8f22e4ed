/** axe finds no violations on the current page. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import { expect, type App } from './fixtures.ts'

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)
const contrast = ['color-contrast', 'link-in-text-block']

declare global {
  interface Window {
    readonly axe?: { run(context: { include: string[] }, options: RunOptions): Promise<AxeResults> }
  }
}

/** Injects axe if the page doesn't have it: once per page, because compiling it takes longer than a check. There are no frames. */
async function ensureAxe({ page }: App): Promise<void> {
  const isThere = await page.evaluate(() => window.axe !== undefined)
  if (!isThere) await page.evaluate(axeSource)
}

async function violationsOf(
  app: App,
  rules: readonly string[] | null,
  within: string,
): Promise<string[]> {
  await ensureAxe(app)
  // Describing the thousands of elements that pass takes as long as the check.
  const only: RunOptions = { resultTypes: ['violations'] }
  const options: RunOptions =
    rules === null ? only : { ...only, runOnly: { type: 'rule', values: [...rules] } }
  const violations = await app.page.evaluate(
    async (asked) => {
      if (window.axe === undefined)
        throw new Error('The page was loaded anew while axe looked at it.')
      // Changing a theme or opening a dialog takes a few frames: inherited colors follow their ancestors.
      const transitions = () =>
        document.getAnimations().filter((animation) => animation instanceof CSSTransition)
      for (let under = transitions(); under.length > 0; under = transitions())
        await Promise.allSettled(under.map(({ finished }) => finished))
      return (await window.axe.run({ include: [asked.within] }, asked.options)).violations
    },
    { within, options },
  )
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} — ${node.failureSummary ?? ''}`).join(' | ')}`,
  )
}

/** `within`: the part of the page to check, if the rest has been checked. */
export async function expectNoViolations(app: App, where: string, within = 'html'): Promise<void> {
  expect(await violationsOf(app, null, within), where).toEqual([])
}

/** Nothing that Tab reaches is hidden from screen readers, such as the page beside an open list. */
export async function expectNothingHidden(app: App, where: string): Promise<void> {
  expect(await violationsOf(app, ['aria-hidden-focus'], 'html'), where).toEqual([])
}

/** The same in the dark theme; in the light theme, only colors are checked again. */
export async function expectNoViolationsInBothThemes(
  app: App,
  where: string,
  within = 'html',
): Promise<void> {
  await expectNoViolations(app, `${where}, dark`, within)
  await showTheme(app, 'light')
  expect(await violationsOf(app, contrast, within), `${where}, light`).toEqual([])
  await showTheme(app, 'dark')
}

async function showTheme({ page }: App, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
}
