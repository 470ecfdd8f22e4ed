import { afterAll, describe, expect, test } from 'vitest'
import { storeInFolder } from '../support/in-folder.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { captureOf } from '../support/test-store.ts'
import { times } from '../support/long-form.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

const SECRET = 'whsec_of_a_hook'
const disk = mountSmallDisk(14)

describe.skipIf(disk === null)('on a full disk of 14 MB', () => {
  const folder = disk?.folder ?? ''
  afterAll(async () => {
    disk?.unmount()
  })

  const run = (...args: string[]) => cli.given({ data: folder }).run`${args}`
  const stored = async () => (await run('deliveries', '--limit', '100000', '--json')).json().length

  async function store(): Promise<number> {
    const open = await storeInFolder(folder)
    let count = 0
    try {
      for (; count < 5_000; count++)
        await open.capture(captureOf(`{"number":${count},"text":"${'x'.repeat(4_000)}"}`))
    } catch (error) {
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    }
    await open.close()
    return count
  }

  test('every command works or says that the disk is full; deletion works and makes room', async () => {
    await run('handlers', 'add', 'mine', '--url', 'http://127.0.0.1:9/', '--secret', SECRET)
    for (let round = 0; round < times(1, 5); round++) {
      expect(await store()).toBeGreaterThan(round === 0 ? 450 : 100)
      disk?.fillUp()
      const before = await stored()
      const commands = [
        ['deliveries'],
        ['deliveries', 'x'],
        ['show', 'latest'],
        ['stats'],
        ['settings'],
        ['settings', '--keep-days', '30'],
        ['mark', 'latest', '--pin', '--note', 'kept'],
        ['views', 'save', `view ${round}`, 'is:valid'],
        ['handlers', 'list'],
        ['handlers', 'add', `other${round}`, '--url', 'http://127.0.0.1:9/'],
        ['handlers', 'use', 'mine'],
        ['hooks', 'list'],
        [
          ...['hooks', 'import', '--event', 'card.linked', '--secret', SECRET],
          ...['--url', `https://127.0.0.1:4783/h/${round}`],
        ],
        ['environments', 'list'],
        [
          ...['environments', 'add', `staging${round}`, '--mode', 'test', '--key', 'key'],
          ...['--base-url', 'https://api.example.com'],
        ],
        ['replay', 'latest', '--to', 'http://127.0.0.1:9/'],
        ['check', 'http://127.0.0.1:9/', '--secret', SECRET, '--only', 'valid'],
        ['flow', 'runs'],
        ['export', '-o', `${folder}/export.jsonl`],
        ['doctor'],
      ]
      for (const args of commands) {
        const { code, stderr, text } = await run(...args)
        const where = `${args.join(' ')}: ${code} ${stderr} ${text.slice(0, 300)}`
        expect(stderr, where).not.toContain('Something went wrong')
        if (stderr.includes('disk is full or failing')) {
          expect(code, where).toBe(3)
          expect(stderr, where).toContain('countersign delete')
        }
      }
      const gone = await run('delete', '--query', 'text', '--yes')
      expect([gone.code, gone.stderr]).toEqual([0, expect.not.stringContaining('wrong')])
      const left = await stored()
      expect(left).toBeLessThan(before / 2)
      // There is room again although the other program keeps its part.
      expect((await run('mark', 'latest', '--note', 'there is room')).code).toBe(left > 0 ? 0 : 3)
      expect((await run('settings', '--keep-days', '31')).code).toBe(0)
      expect((await run('doctor')).text).toContain('ok')
      disk?.free()
    }
  })
})
