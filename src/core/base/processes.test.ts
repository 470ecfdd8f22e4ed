import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isAlive } from './processes.ts'

test.runIf(process.platform === 'linux')(
  'a process that ended counts as ended, also while its parent has not asked for it',
  async () => {
    // The second program replaces the shell, which never waits for the first.
    const parent = spawn('sh', ['-c', 'cat </dev/null & echo $!; exec cat'])
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string]
    while (isAlive(Number(line))) await sleep(10)
    expect(isAlive(parent.pid ?? 0)).toBe(true)
    parent.stdin.end()
    await once(parent, 'exit')
    expect(isAlive(parent.pid ?? 0)).toBe(false)
  },
)
