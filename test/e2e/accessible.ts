/** axe finds nothing on the page as it stands. */
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type App } from './fixtures.ts'

const contrast = ['color-contrast', 'link-in-text-block']

async function violationsOf({ page }: App, rules: readonly string[] | null, within: string): Promise<string[]> {
  // There are no frames: axe need not finish its look in a page of its own, which takes as long again.
  const axe = new AxeBuilder({ page }).include(within).setLegacyMode()
  const { violations } = await (rules === null ? axe : axe.withRules([...rules])).analyze()
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} — ${node.failureSummary ?? ''}`).join(' | ')}`,
  )
}

/** `within`: the part of the page that is looked at, where the rest has been. */
export async function expectNoViolations(app: App, where: string, within = 'html'): Promise<void> {
  expect(await violationsOf(app, null, within), where).toEqual([])
}

/** The same in the dark theme, and in the light one as far as it differs: in its colours. */
export async function expectNoViolationsInBothThemes(app: App, where: string, within = 'html'): Promise<void> {
  await expectNoViolations(app, `${where}, dark`, within)
  await showTheme(app, 'light')
  expect(await violationsOf(app, contrast, within), `${where}, light`).toEqual([])
  await showTheme(app, 'dark')
}

async function showTheme({ page }: App, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
}
