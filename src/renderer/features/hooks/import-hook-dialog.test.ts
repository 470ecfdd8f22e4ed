import { expect, test } from 'vitest'
import { hookImportSchema } from '../../../shared/model/hook.ts'
import { inputOfImport, missingOfImport, newImport } from './import-hook-dialog.tsx'

const draft = {
  ...newImport('sandbox-test'),
  url: ' https://handler.test/hooks ',
  secret: ' with a space ',
}

test('empty fields are left out, and the secret is kept exactly as typed', () => {
  expect(hookImportSchema.parse(inputOfImport({ ...draft, remoteId: ' 42 ' }))).toEqual({
    event: 'transaction.auth',
    url: 'https://handler.test/hooks',
    secret: ' with a space ',
    environment: 'sandbox-test',
    remoteId: '42',
    live: false,
  })
})

test('each missing field says what to enter', () => {
  expect(missingOfImport(draft)).toEqual([])
  expect(
    missingOfImport({ ...draft, event: ' ', url: '', secret: '' }).map(({ field }) => field),
  ).toEqual(['event', 'url', 'secret'])
})
