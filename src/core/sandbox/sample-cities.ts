/** Cities with those details of a location that must agree. */

interface SampleCity {
  readonly city: string
  readonly streets: readonly string[]
  readonly postcode: string
  /** Code of three letters (ISO 3166-1 alpha-3). */
  readonly countryCode: string
  readonly currency: string
  readonly timezone: string
  readonly latitude: number
  readonly longitude: number
}

export const sampleCities: readonly SampleCity[] = [
  {
    city: 'London',
    streets: ['Lamb\u2019s Conduit Street', 'Exmouth Market', 'Columbia Road'],
    postcode: 'WC1N 3LZ',
    countryCode: 'GBR',
    currency: 'GBP',
    timezone: 'Europe/London',
    latitude: 51.5219,
    longitude: -0.1185,
  },
  {
    city: 'Manchester',
    streets: ['Thomas Street', 'Tib Street', 'Deansgate'],
    postcode: 'M4 1LN',
    countryCode: 'GBR',
    currency: 'GBP',
    timezone: 'Europe/London',
    latitude: 53.4839,
    longitude: -2.2355,
  },
  {
    city: 'Dublin',
    streets: ['South William Street', 'Capel Street', 'Drury Street'],
    postcode: 'D02 KV76',
    countryCode: 'IRL',
    currency: 'EUR',
    timezone: 'Europe/Dublin',
    latitude: 53.3422,
    longitude: -6.2633,
  },
  {
    city: 'Berlin',
    streets: ['Oranienstraße', 'Kastanienallee', 'Bergmannstraße'],
    postcode: '10999',
    countryCode: 'DEU',
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    latitude: 52.5006,
    longitude: 13.4198,
  },
  {
    city: 'Stockholm',
    streets: ['Götgatan', 'Skånegatan', 'Hornsgatan'],
    postcode: '116 46',
    countryCode: 'SWE',
    currency: 'SEK',
    timezone: 'Europe/Stockholm',
    latitude: 59.3144,
    longitude: 18.0737,
  },
  {
    city: 'New York',
    streets: ['Bleecker Street', 'Orchard Street', 'Bedford Avenue'],
    postcode: '10014',
    countryCode: 'USA',
    currency: 'USD',
    timezone: 'America/New_York',
    latitude: 40.7318,
    longitude: -74.0036,
  },
  {
    city: 'Chicago',
    streets: ['North Damen Avenue', 'West Randolph Street', 'North Milwaukee Avenue'],
    postcode: '60622',
    countryCode: 'USA',
    currency: 'USD',
    timezone: 'America/Chicago',
    latitude: 41.9103,
    longitude: -87.6776,
  },
  {
    city: 'Toronto',
    streets: ['Queen Street West', 'Ossington Avenue', 'Roncesvalles Avenue'],
    postcode: 'M6J 1E4',
    countryCode: 'CAN',
    currency: 'CAD',
    timezone: 'America/Toronto',
    latitude: 43.6457,
    longitude: -79.4114,
  },
  {
    city: 'Sydney',
    streets: ['Crown Street', 'King Street', 'Glebe Point Road'],
    postcode: '2010',
    countryCode: 'AUS',
    currency: 'AUD',
    timezone: 'Australia/Sydney',
    latitude: -33.8842,
    longitude: 151.2134,
  },
  {
    city: 'Tokyo',
    streets: ['Kagurazaka', 'Nakameguro', 'Kuramae'],
    postcode: '162-0825',
    countryCode: 'JPN',
    currency: 'JPY',
    timezone: 'Asia/Tokyo',
    latitude: 35.7017,
    longitude: 139.7399,
  },
]
