import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { signedCurl } from './curl.ts'

test.skipIf(process.platform === 'win32')(
  'a shell that runs the four lines sends a valid signature',
  () => {
    const folder = temporaryFolder()
    // A fake curl that only records its arguments.
    writeFileSync(
      join(folder, 'curl'),
      `#!/bin/sh\nfor word; do printf '%s\\n' "$word"; done > '${folder}/called'\n`,
      {
        mode: 0o755,
      },
    )
    const secret = `it's a "secret" $HOME`
    const url = 'https://127.0.0.1:4783/h/a?b=1'
    execFileSync(
      'sh',
      ['-c', signedCurl({ url, caFile: '/tmp/ca file.pem', secret, prefix: 'Acme' })],
      {
        env: { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
      },
    )
    const words = readFileSync(join(folder, 'called'), 'utf8').split('\n')
    const timestamp = words.find((word) => word.startsWith('x-acme-timestamp: '))?.slice(18) ?? ''
    const inner = createHmac('sha256', secret)
      .update(`{"hello":"world"}${url}${timestamp}`)
      .digest('base64')
    expect(words).toContain(
      `x-acme-signature: ${createHmac('sha256', secret).update(inner).digest('base64')}`,
    )
    expect(Math.abs(Number(timestamp) - Date.now())).toBeLessThan(60_000)
    expect(words.slice(0, 4)).toEqual(['-sS', '--cacert', '/tmp/ca file.pem', url])
  },
)
