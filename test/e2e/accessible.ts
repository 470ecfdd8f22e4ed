/** axe finds nothing on the page as it stands. */
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type App } from './fixtures.ts'

export async function expectNoViolations(app: App, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page: app.page }).analyze()
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} — ${node.failureSummary ?? ''}`).join(' | ')}`,
  )
  expect(found, where).toEqual([])
}
