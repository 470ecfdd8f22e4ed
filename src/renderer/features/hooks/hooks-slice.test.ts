import { expect, test } from 'vitest'
import { AppError } from '../../../shared/contract/errors.ts'
import { problemsOf } from './hooks-slice.ts'

test('each finding of a refused hook goes to its field', () => {
  const error = new AppError('INVALID_HOOK', 'Two things.', {
    details: [
      { rule: 'url-https', section: '8', field: 'url', message: 'The URL must begin with https.' },
      { rule: 'header-name-length', section: '4.3', field: 'headers.X', message: 'Too long.' },
    ],
  })
  expect(problemsOf(error)).toEqual([
    { field: 'url', message: 'The URL must begin with https.' },
    { field: null, message: 'Too long.' },
  ])
})

test('a refused input goes to the field that the sentence names', () => {
  const message = 'hooks.import: secret: Too small: expected string to have >=1 characters.'
  expect(problemsOf(new AppError('INVALID_INPUT', message))).toEqual([{ field: 'secret', message }])
})

test('anything else is said for the form as a whole', () => {
  expect(problemsOf(new AppError('NOT_FOUND', 'There is no environment "x".'))).toEqual([
    { field: null, message: 'There is no environment "x".' },
  ])
})
