/** Lists valid payloads of each event in the spec, independent of the sandbox. */

const id = (digit: string) =>
  `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`
const time = '2026-03-04T05:06:07.089Z'

const brand = {
  id: id('1'),
  accountId: id('2'),
  consent: true,
  created: time,
  updated: time,
  live: false,
  name: 'A brand',
  logoURL: 'https://images.example/a.png',
}

const program = {
  id: id('3'),
  accountId: id('2'),
  active: true,
  activeDate: time,
  created: time,
  updated: time,
  live: true,
  name: 'A program',
  syncStats: { created: time, locations: 12, estimatedEndDate: time, status: 'syncing' },
}

const scheme = {
  status: 'active',
  auth: true,
  clearing: true,
  authTransactionId: 'a-1',
  clearingTransactionId: null,
  estimatedActivationDate: null,
}

const location = {
  id: id('4'),
  accountId: id('2'),
  brandId: id('1'),
  programId: id('3'),
  address: '1 Street',
  city: 'Town',
  postcode: 'T1 1TT',
  countryCode: 'GBR',
  currency: 'GBP',
  timezone: 'Europe/London',
  geolocation: { latitude: 51.5, longitude: -0.1 },
  live: false,
  preonboard: false,
  created: time,
  updated: time,
  activeDate: time,
  searchBy: { merchantIds: { visa: ['1'], mastercard: [] } },
  mastercard: scheme,
  visa: scheme,
  amex: { ...scheme, status: 'inactive', estimatedActivationDate: time },
}

const card = {
  id: id('5'),
  accountId: id('2'),
  programId: id('3'),
  countryCode: 'GBR',
  created: time,
  updated: time,
  expDate: '2029-02-01T00:00:00.000Z',
  expMonth: 2,
  expYear: 2029,
  firstNumbers: '411111',
  lastNumbers: '1111',
  live: false,
  scheme: 'visa',
  type: 'visa',
}

const offer = {
  qualified: true,
  id: id('6'),
  message: [],
  qualificationDate: time,
  cashback: 0.5,
  performanceFee: 0.1,
}

const auth = {
  id: id('7'),
  accountId: id('2'),
  programId: id('3'),
  datetime: '2026-03-04T05:06:07',
  created: time,
  updated: time,
  offer: null,
  approvalCode: '123456',
  auth: true,
  authCode: '123456',
  cardPresent: true,
  cleared: false,
  amount: 12.5,
  currency: 'GBP',
  wallet: null,
  card: {
    id: id('5'),
    firstNumbers: '411111',
    lastNumbers: '1111',
    scheme: 'visa',
    metadata: { customer: 7 },
  },
  brand: { id: id('1'), name: 'A brand', logoURL: null, metadata: null },
  location: {
    id: id('4'),
    address: '1 Street',
    city: 'Town',
    postcode: 'T1 1TT',
    countryCode: 'GBR',
    timezone: 'Europe/London',
    geolocation: null,
    metadata: { store: 'a' },
  },
  identifiers: {
    MID: '1',
    mastercardAuthCode: null,
    mastercardTransactionSequenceNumber: null,
    mastercardRefNumber: null,
    amexApprovalCode: null,
    visaAuthCode: '123456',
  },
}

const clearing = { ...auth, cleared: true }
const refund = {
  ...auth,
  auth: false,
  cleared: true,
  amount: -12.5,
  originalTransactionId: id('8'),
}

export const samplePayloads = {
  'brand.consent': brand,
  'card.linked': card,
  'card.failed': { card, event: 'card.failed', message: 'The card cannot be linked.' },
  'program.status': program,
  'location.status': { location, scheme: 'amex', status: 'location.active' },
  'transaction.auth': auth,
  'transaction.auth.qualified': { ...auth, offer },
  'transaction.clearing': clearing,
  'transaction.clearing.qualified': { ...clearing, offer },
  'transaction.refund': refund,
  'transaction.refund.qualified': { ...refund, offer },
} as const
