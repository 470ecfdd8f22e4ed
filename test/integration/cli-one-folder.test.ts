import { test } from 'vitest'
import { openForWriting } from '../../src/core/store/open.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'
import { exitOf, cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

const hook = (number: number) =>
  `hooks import --event card.linked --url https://127.0.0.1:1/${number} --secret whsec_${number}`.split(
    ' ',
  )

test('commands that open a new data folder at once all succeed', async ({ expect }) => {
  const data = ['--data', cli.newDataFolder()]
  const made = await Promise.all(
    Array.from({ length: 3 }, (_, number) => cli.runProcess`${hook(number)} ${data}`),
  )
  expect(made.map(({ code, stderr }) => [code, stderr])).toEqual(made.map(() => [0, '']))
  expect((await cli.run`hooks env ${data}`).text.match(/whsec_\d/g)?.toSorted()).toEqual(
    Array.from({ length: 3 }, (_, number) => `whsec_${number}`),
  )
})

// Both wait for seconds, and neither needs the computer meanwhile.
test.concurrent('a command waits for another that is writing, then says that the folder is in use', async ({
  expect,
}) => {
  const dataFolder = cli.newDataFolder()
  const data = ['--data', dataFolder]
  await cli.run`${hook(0)} ${data}`
  const other = openForWriting(databaseFileOf(dataFolder))
  other.exec('BEGIN IMMEDIATE')
  const short = cli.runProcess`${hook(1)} ${data}`
  setTimeout(() => other.exec('COMMIT'), 2_500)
  expect(await short).toMatchObject({ code: 0, stderr: '' })
  other.exec('BEGIN IMMEDIATE')
  const refused = await cli.runProcess`${hook(2)} ${data}`
  expect(refused).toMatchObject({ code: 3, text: '' })
  expect(refused.stderr.trim()).toBe(
    `Another countersign command is using ${dataFolder}. Retry, or use --data.`,
  )
  other.exec('COMMIT')
  other.close()
})

test.concurrent('a flow run waits for another, then says that the folder is in use; other commands work in parallel', async ({
  expect,
}) => {
  const dataFolder = cli.newDataFolder()
  const data = ['--data', dataFolder]
  const first = cli.start`flow run retry-third-attempt --speed 1 ${data}`
  await expect
    .poll(async () => (await cli.run`deliveries is:flow --json ${data}`).text.length)
    .toBeGreaterThan(0)
  expect(await cli.run`${hook(1)} ${data}`).toMatchObject({ code: 0 })
  const from = performance.now()
  const refused = await cli.run`flow run card-linked --speed max ${data}`
  expect(performance.now() - from).toBeGreaterThan(5_000)
  expect([refused.code, refused.stderr.trim()]).toEqual([
    3,
    `Another countersign command is using ${dataFolder}. Retry, or use --data.`,
  ])
  const waiting = cli.run`flow run card-linked --speed max ${data}`
  first.kill('SIGINT')
  await exitOf(first)
  expect(await waiting).toMatchObject({ code: 0 })
})
