/** A purchase made in the sandbox, as the specs about its lifecycle and its comparison need it. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, rowsWith, type App } from './fixtures.ts'

const cli = fileURLToPath(new URL('../../out/node/cli.js', import.meta.url))
const events = ['transaction.auth', 'transaction.clearing', 'transaction.refund'] as const

/** Runs a command of the command line on the application's data folder and gives what it prints. */
export function runCommand(app: App, ...args: string[]): string {
  return execFileSync(process.execPath, [cli, ...args, '--data', app.dataFolder], { encoding: 'utf8' })
}

/** Makes a purchase, its clearing three sandbox days later, and its refund; gives the transaction's id. */
export async function makePurchase(app: App): Promise<string> {
  for (const event of events) app.importHook(event, event.replace('.', '-'))
  const made = JSON.parse(runCommand(app, 'trigger', 'transaction.auth', '--json')) as { objects: { transaction: string } }
  await expect(rowsWith(app.page, 'transaction.auth')).toHaveCount(1)
  runCommand(app, 'sandbox', 'clock', 'jump', '84h')
  await expect(rowsWith(app.page, 'transaction.clearing')).toHaveCount(1)
  runCommand(app, 'trigger', 'transaction.refund', '--of', made.objects.transaction)
  await expect(rowsWith(app.page, 'transaction.refund')).toHaveCount(1)
  await expect(rowsWith(app.page, 'transaction.clearing')).toHaveCount(2)
  return made.objects.transaction
}
