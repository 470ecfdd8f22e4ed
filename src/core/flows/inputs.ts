/** Inputs of a flow: values of its payment or card that a person sets, kept as typed. */
import { literalValue, type Literals } from '../../shared/body/json-literals.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Flow, FlowInputName } from '../../shared/model/flow.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import { schemes } from '../../shared/service/resources.ts'
import { minorDigits } from '../../shared/text/amount.ts'
import { sampleCities } from '../sandbox/sample-cities.ts'
import type { FlowService } from './flow-service.ts'

export const inputChoices: Readonly<
  Record<FlowInputName, { readonly choices: string[]; readonly example: string }>
> = {
  amount: { choices: [], example: '12.50' },
  currency: { choices: [], example: 'EUR' },
  scheme: { choices: [...schemes], example: 'visa' },
  location: { choices: sampleCities.map(({ city }) => city), example: 'London' },
}

const cardFirstNumbers: Readonly<Record<string, string>> = {
  visa: '444433',
  mastercard: '555544',
  amex: '374245',
}

const MAX_AMOUNT = 1_000_000

const isOneOf = (value: unknown, choices: readonly string[]) =>
  typeof value === 'string' && choices.includes(value)

/** Returns what is wrong with a value; null if nothing is. */
function problemOf(
  flow: Flow,
  name: FlowInputName,
  value: unknown,
  currency: unknown,
): string | null {
  switch (name) {
    case 'amount': {
      const above = flow.inputs?.find((input) => input.name === 'amount')?.above ?? 0
      if (typeof value !== 'number' || value <= above || value > MAX_AMOUNT)
        return `amount must be a number above ${above}, at most ${MAX_AMOUNT}, for example amount=12.50.`
      const digits = minorDigits(currency)
      const used = String(value).split('.')[1]?.length ?? 0
      return digits !== null && used > digits
        ? `amount has too many decimals for ${String(currency)}. Use ${digits === 0 ? 'none' : `at most ${digits}`}.`
        : null
    }
    case 'currency':
      return typeof value === 'string' && /^[A-Z]{3}$/.test(value) && minorDigits(value) !== null
        ? null
        : 'currency must be a code of three capital letters, for example currency=EUR.'
    case 'scheme':
      return isOneOf(value, schemes) ? null : `scheme must be one of ${schemes.join(', ')}.`
    case 'location':
      return isOneOf(value, inputChoices.location.choices)
        ? null
        : `location must be one of ${inputChoices.location.choices.join(', ')}.`
  }
}

/** Throws `INVALID_INPUT` for a value that the flow can't run with. */
export function checkInputs(flow: Flow, literals: Literals): void {
  const currency = literals['currency'] === undefined ? null : literalValue(literals['currency'])
  for (const { name } of flow.inputs ?? []) {
    const literal = literals[name]
    const problem =
      literal === undefined ? null : problemOf(flow, name, literalValue(literal), currency)
    if (problem !== null) throw new AppError('INVALID_INPUT', `${flow.name}: ${problem}`)
  }
}

interface Trigger {
  readonly event: ShownEventType
  readonly environment: string
  readonly of: string | undefined
}

/** Returns the literals that are payload fields, not inputs of the flow. */
export function fieldLiterals({ inputs = [] }: Pick<Flow, 'inputs'>, literals: Literals): Literals {
  return Object.fromEntries(
    Object.entries(literals).filter(([path]) => !inputs.some(({ name }) => name === path)),
  )
}

function cardOf(scheme: unknown): Record<string, unknown> {
  return { scheme, type: scheme, firstNumbers: cardFirstNumbers[String(scheme)] }
}

/** Creates a location in the city and returns it as fields of a payment. */
async function locationFields(
  city: unknown,
  environment: string,
  service: FlowService,
): Promise<Record<string, unknown>> {
  const sampleCity = sampleCities.find((candidate) => candidate.city === city)
  if (sampleCity === undefined) return {}
  const { postcode, countryCode, currency, timezone } = sampleCity
  const fields = {
    address: `1 ${sampleCity.streets[0] ?? 'Main Street'}`,
    city: sampleCity.city,
    postcode,
    countryCode,
    timezone,
  }
  const { id } = await service.make({
    kind: 'location',
    environment,
    set: { ...fields, currency },
    literals: {},
  })
  const geolocation = { latitude: sampleCity.latitude, longitude: sampleCity.longitude }
  const paths = Object.entries({ id, ...fields, geolocation }).map(([name, value]) => [
    `location.${name}`,
    value,
  ])
  return { ...Object.fromEntries(paths), currency }
}

/**
 * Returns the fields that the inputs set in a triggered event. Also returns the id of the object,
 * such as a card or purchase, that the event is about. A matched refund takes its values from its
 * purchase; any other refund gets a negative amount.
 */
export async function applyInputs(
  { inputs = [] }: Pick<Flow, 'inputs'>,
  values: Literals,
  { event, environment, of }: Trigger,
  service: FlowService,
) {
  const literalOf = (name: FlowInputName) =>
    inputs.some((input) => input.name === name) ? values[name] : undefined
  const [amount, currency, scheme, location] = (
    ['amount', 'currency', 'scheme', 'location'] as const
  ).map(literalOf)
  const isRefund = event.startsWith('transaction.refund')
  if (!isTransactionEvent(event)) {
    const card =
      event.startsWith('card.') && scheme !== undefined ? cardOf(literalValue(scheme)) : {}
    const prefix = event === 'card.failed' ? 'card.' : ''
    const set = Object.fromEntries(
      Object.entries(card).map(([name, value]) => [`${prefix}${name}`, value]),
    )
    return { of, set, literals: {} }
  }
  if (isRefund && of !== undefined) return { of, set: {}, literals: {} }
  let card = of
  if (scheme !== undefined && of === undefined && !isRefund) {
    // A new location accepts every scheme.
    await service.make({ kind: 'location', environment, set: {}, literals: {} })
    const set = cardOf(literalValue(scheme))
    card = (await service.make({ kind: 'card', environment, set, literals: {} })).id
  }
  return {
    of: card,
    set:
      location === undefined
        ? {}
        : await locationFields(literalValue(location), environment, service),
    literals: {
      ...(amount === undefined ? {} : { amount: isRefund ? `-${amount}` : amount }),
      ...(currency === undefined ? {} : { currency }),
    },
  }
}
