/** Payload types in the formats of `countersign types`. */
import { DEFAULT_PREFIX, headerNames } from '../../shared/service/header-names.ts'
import {
  ACKNOWLEDGE_TIMEOUT_MS,
  ATTEMPT_WAITS_MS,
  MAX_ATTEMPTS,
  REPLAY_WINDOW_MS,
} from '../../shared/service/limits.ts'
import {
  definitionName,
  payloadSchema,
  type JsonSchema,
  type PayloadSchema,
} from './payload-schema.ts'
import { pythonTypes, typescriptTypes } from './source-code.ts'

const writers = {
  typescript: typescriptTypes,
  python: pythonTypes,
  'json-schema': (payloads: PayloadSchema) => jsonText(jsonSchemaDocument(payloads)),
  openapi: (payloads: PayloadSchema) => jsonText(openApiDocument(payloads)),
} as const
export type TypesFormat = keyof typeof writers

export const typesFormats = Object.keys(writers) as readonly TypesFormat[]

export function typesText(format: TypesFormat): string {
  return writers[format](payloadSchema())
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Returns a schema for any event's payload (draft 2020-12). */
function jsonSchemaDocument({ definitions, events }: PayloadSchema): JsonSchema {
  const references = new Set(Object.values(events).flatMap(({ $ref = [] }) => $ref))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Webhook payloads',
    description:
      "Validate a body with its event's definition. The body doesn't name its event: register one URL per event.",
    anyOf: [...references].map(($ref) => ({ $ref })),
    $defs: { ...definitions, ...events },
  }
}

const seconds = (ms: number) => ms / 1_000

/** Returns the webhooks as OpenAPI 3.1 (sections 4.4, 5.2 and 6.4 of the interface). */
function openApiDocument({ definitions, events }: PayloadSchema) {
  const { signature, timestamp } = headerNames(DEFAULT_PREFIX)
  const parameters = {
    Signature: {
      name: signature,
      in: 'header',
      required: true,
      description: `HMAC-SHA-256 in Base64 of the body, the registered URL and ${timestamp}, then the same HMAC of the result, both with the webhook's secretKey (spec 5.2). Replace "${DEFAULT_PREFIX}" in the header names with your service's name.`,
      schema: { type: 'string', pattern: '^[A-Za-z0-9+/]{43}=$' },
    },
    Timestamp: {
      name: timestamp,
      in: 'header',
      required: true,
      description: `The time of signing, in milliseconds since 1970. Reject requests older than ${seconds(REPLAY_WINDOW_MS)} seconds.`,
      schema: { type: 'string', pattern: String.raw`^\d+$` },
    },
  }
  const waits = ATTEMPT_WAITS_MS.map(seconds).join(' and ')
  const responses = {
    Acknowledged: { description: 'The delivery is acknowledged.' },
    Failed: {
      description: `Any other status, or no response within ${seconds(ACKNOWLEDGE_TIMEOUT_MS)} seconds, is a failure. The service makes ${MAX_ATTEMPTS} attempts in total, ${waits} seconds apart, each with a new signature and timestamp. Your handler may receive an event twice.`,
    },
  }
  const operations = Object.entries(events).map(([event, payload]) => [
    event,
    {
      post: {
        operationId: event.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
        summary: event,
        description: payload.description,
        parameters: Object.keys(parameters).map((name) => ({
          $ref: `#/components/parameters/${name}`,
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: inComponents(payload) } },
        },
        responses: {
          '200': { $ref: '#/components/responses/Acknowledged' },
          default: { $ref: '#/components/responses/Failed' },
        },
      },
    },
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Webhooks of the card-linked offers service',
      version: 'v1',
      description:
        "The service sends each event by POST to the HTTPS URL registered for it. The body doesn't name its event: register one URL per event.",
    },
    servers: [
      {
        url: 'https://127.0.0.1:3000/webhooks',
        description: 'Your handler, at its registered URL.',
      },
    ],
    security: [],
    webhooks: Object.fromEntries(operations),
    components: { parameters, responses, schemas: inComponents(definitions) },
  }
}

/** Returns the schemas with references to an OpenAPI document's components. */
function inComponents<T>(schemas: T): T {
  return JSON.parse(JSON.stringify(schemas), (name, value: unknown) =>
    name === '$ref' && typeof value === 'string'
      ? `#/components/schemas/${definitionName(value)}`
      : value,
  ) as T
}
