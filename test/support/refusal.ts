import { AppError } from '../../src/shared/contract/errors.ts'

export async function refusal(call: Promise<unknown>): Promise<AppError> {
  const error = await call.then(
    () => null,
    (rejected: unknown) => rejected,
  )
  if (error instanceof AppError) return error
  throw new Error('It was not refused.')
}
