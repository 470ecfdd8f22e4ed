import { expect, test } from 'vitest'
import { MOST_CA_CHARACTERS } from '../../shared/model/send.ts'
import { browserFile } from '../ui-state/user-file.ts'
import { authorityProblem, readAuthorityFile } from './ca-certificate-file.ts'

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'

test('a CA certificate file is read unchanged', async () => {
  expect(await readAuthorityFile(browserFile(new File(['# ours\n', PEM], 'ca.pem')))).toBe(
    `# ours\n${PEM}`,
  )
})

test("a file that is too large is not read to its end, and one that isn't PEM comes with a fix", async () => {
  let pieces = 0
  const endless = {
    name: 'video.pem',
    async *pieces() {
      for (;;) yield await Promise.resolve(new Uint8Array(MOST_CA_CHARACTERS / 2).fill(++pieces))
    },
  }
  await expect(readAuthorityFile(endless)).rejects.toMatchObject({
    message:
      'video.pem is too large. A CA certificate file has a few thousand bytes, at most 262,144.',
  })
  expect(pieces).toBe(3)
  const der = browserFile(new File([Uint8Array.of(0x30, 0x82, 0x01)], 'ca.cer'))
  await expect(readAuthorityFile(der)).rejects.toMatchObject({
    message: expect.stringMatching(/n't a PEM.*openssl/),
  })
})

test('pasted text has the same size limit as a file', () => {
  expect(authorityProblem('x'.repeat(MOST_CA_CHARACTERS))).toBeUndefined()
  expect(authorityProblem('x'.repeat(MOST_CA_CHARACTERS + 1))).toContain('262,145 characters')
})
