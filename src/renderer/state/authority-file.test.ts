import { expect, test } from 'vitest'
import { MOST_AUTHORITY } from '../../shared/model/send.ts'
import { authorityProblem, readAuthorityFile } from './authority-file.ts'

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'

test('a CA certificate file is read unchanged', async () => {
  expect(await readAuthorityFile(new File(['# ours\n', PEM], 'ca.pem'))).toBe(`# ours\n${PEM}`)
})

test("a file that is too large is not read, and one that isn't PEM comes with a fix", async () => {
  const large = { name: 'video.pem', size: MOST_AUTHORITY + 1, text: () => Promise.reject(new Error('It was read.')) }
  await expect(readAuthorityFile(large)).rejects.toMatchObject({ message: expect.stringContaining('262,145 bytes') as unknown })
  const der = new File([Uint8Array.of(0x30, 0x82, 0x01)], 'ca.cer')
  await expect(readAuthorityFile(der)).rejects.toMatchObject({ message: expect.stringMatching(/n't a PEM.*openssl/) as unknown })
})

test('pasted text has the same size limit as a file', () => {
  expect(authorityProblem('x'.repeat(MOST_AUTHORITY))).toBeUndefined()
  expect(authorityProblem('x'.repeat(MOST_AUTHORITY + 1))).toContain('262,145 characters')
})
