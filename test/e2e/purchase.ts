/** A sandbox purchase for tests of lifecycles and comparisons. */
import { expect, rowsWith, type App } from './fixtures.ts'

const events = ['transaction.auth', 'transaction.clearing', 'transaction.refund'] as const

/** Makes a purchase, its clearing three sandbox days later, and its refund; returns the transaction's ID. */
export async function makePurchase(app: App): Promise<string> {
  for (const event of events) await app.importHook(event, event.replace('.', '-'))
  const made = JSON.parse(await app.command('trigger', 'transaction.auth', '--json')) as {
    objects: { transaction: string }
  }
  await expect(rowsWith(app.page, 'transaction.auth')).toHaveCount(1)
  await app.command('sandbox', 'clock', 'jump', '84h')
  await expect(rowsWith(app.page, 'transaction.clearing')).toHaveCount(1)
  await app.command('trigger', 'transaction.refund', '--of', made.objects.transaction)
  await expect(rowsWith(app.page, 'transaction.refund')).toHaveCount(1)
  await expect(rowsWith(app.page, 'transaction.clearing')).toHaveCount(2)
  return made.objects.transaction
}
