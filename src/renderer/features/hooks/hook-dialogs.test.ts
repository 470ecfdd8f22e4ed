import { expect, test } from 'vitest'
import { inputOfImport, missingOfImport } from './hook-dialogs.tsx'

const draft = {
  event: 'transaction.auth',
  environment: 'sandbox-test',
  ...{ programId: '', offerId: '', remoteId: '' },
  url: ' https://handler.test/hooks ',
  secret: ' with a space ',
}

test('empty fields are left out, and the secret is kept exactly as typed', () => {
  expect(inputOfImport({ ...draft, remoteId: ' 42 ' })).toEqual({
    event: 'transaction.auth',
    url: 'https://handler.test/hooks',
    secret: ' with a space ',
    environment: 'sandbox-test',
    remoteId: '42',
  })
})

test('each missing field says what to enter', () => {
  expect(missingOfImport(draft)).toEqual([])
  expect(
    missingOfImport({ ...draft, event: ' ', url: '', secret: '' }).map(({ field }) => field),
  ).toEqual(['event', 'url', 'secret'])
})
