/**
 * What the spec leaves open, and how the sandbox behaves there: decided once, openly. `docs/sandbox.md` has the same table, and a
 * test compares the two. The client of the real service relies on none of these.
 */

export interface SandboxChoice {
  readonly topic: string
  readonly choice: string
}

export const choices: readonly SandboxChoice[] = [
  {
    topic: 'Webhook record',
    choice:
      '`id`, `accountId`, `event`, `url`, `programId`, `offerId`, `headers`, `live`, `created`, `updated`; on creation also `secretKey`',
  },
  {
    topic: 'Response to a creation',
    choice:
      '201 with the record; the secret has 43 characters of URL-safe Base64 and is shown only once',
  },
  { topic: 'Response to an update', choice: '200 with the record; omitted fields stay unchanged' },
  {
    topic: 'Response to a deletion',
    choice: '200 with `{ "id", "deleted": true }`; pending deliveries get no further attempts',
  },
  {
    topic: 'Error bodies',
    choice:
      '`{ "error": { "code", "message", "findings" } }`, each finding with `rule`, `section`, `field`, `message`',
  },
  {
    topic: 'Token endpoint of version 2.0',
    choice:
      '`POST /v2/token`, JSON or form, `client_id` (public key) and `client_secret` (secret key), or `refresh_token`; returns `access_token` (a JWT for one hour), `token_type`, `expires_in`, `refresh_token`',
  },
  {
    topic: "Countersign's token request",
    choice:
      '`client_id`, `client_secret` and `grant_type` `client_credentials` as JSON; renewed with `grant_type` `refresh_token`. Path, form, names and extra fields are settings of the environment',
  },
  { topic: 'Token header', choice: '`Authentication: Bearer …`; `Authorization` works too' },
  { topic: 'Unknown request fields', choice: 'Ignored' },
  { topic: 'Offer in an update', choice: "Rejected, unless it is the hook's current offer" },
  {
    topic: 'Certificate at registration',
    choice:
      "Verified when a hook is created or its URL changes, as for deliveries; a certificate that doesn't verify is rejected. A host that shows none within 5 s is accepted, and imports aren't checked",
  },
  {
    topic: 'Characters of a URL',
    choice:
      'Whitespace, control characters and backslashes are rejected; `https:` needs `//` and a host. Nothing is rewritten',
  },
  {
    topic: 'Fragment in a URL',
    choice: 'Accepted. Part of the signed URL, but not of the request',
  },
  {
    topic: 'User name and password in a URL',
    choice: 'Accepted. Part of the signed URL; no `Authorization` header is sent',
  },
  {
    topic: 'Characters of a header value',
    choice: 'Tab and printable Latin-1 characters; all others are rejected',
  },
  {
    topic: 'Header `Keep-Alive`',
    choice:
      'Rejected by the sandbox, which cannot send it. The spec allows it, so for a real account it is only a warning',
  },
  {
    topic: 'Ten URLs',
    choice: 'Registered hooks are counted, deleted ones are not; a repeated URL counts each time',
  },
  {
    topic: 'List of hooks',
    choice:
      '`GET /v1/programs/<program_id>/hooks`, and `GET /v1/hooks` for hooks without a program: `{ "hooks": [ … ] }` without `secretKey`',
  },
  {
    topic: 'Programs',
    choice: 'One in each mode from the start; an imported hook that names another one creates it',
  },
  {
    topic: 'Offers',
    choice: 'One in each program; an unknown `offerId` becomes an offer of that program',
  },
  {
    topic: 'Hooks without a program',
    choice: 'A program hook imported without its program receives events for all programs',
  },
  {
    topic: 'Several hooks on one URL',
    choice: 'Each gets its own delivery, signed with its own secret',
  },
  {
    topic: 'Metadata',
    choice:
      'Chosen by the client, so empty at first; `metadata` set on a card, brand or location appears in its later transactions, but not in its own events',
  },
  { topic: '`datetime` of a transaction', choice: 'The local time at the location' },
  {
    topic: 'Automatic clearing',
    choice:
      'Mastercard at the next 12:00 UTC, others at the next four-hour mark, 48 to 72 hours after the payment',
  },
  { topic: 'Setting the clock back', choice: 'Not possible; a reset returns it to the present' },
  { topic: 'Clearing id', choice: 'Same as its auth' },
  { topic: 'Refund id', choice: 'Its own; the accompanying clearing has the same' },
  {
    topic: 'Matching a refund to its purchase',
    choice:
      "Among known purchases with the same card, location, merchant id and amount that aren't later: the named one, otherwise the latest",
  },
  {
    topic: 'Partial refunds',
    choice: 'Sent, but never matched: the amount is part of what identifies a purchase',
  },
  {
    topic: 'Offers: period and rules',
    choice:
      'An offer has `startsAt`, `endsAt` (or null) and `minimumAmount`. A purchase qualifies by its payment time and amount, checked again at its clearing',
  },
  {
    topic: 'Several offers',
    choice:
      "A transaction qualifies for one: the one it qualified for before, otherwise the first that a hook requests with `offerId`, otherwise the program's first",
  },
  {
    topic: 'Qualifying purchase',
    choice:
      "The plain event with `offer` null, then its .qualified event with the offer, whichever is triggered; triggering .qualified for a purchase that doesn't qualify is rejected",
  },
  {
    topic: 'Qualifying refund',
    choice:
      '`transaction.refund` and `transaction.clearing` with `offer` null, then `transaction.refund.qualified` with the offer. A matched refund qualifies where its purchase did, also after the offer has ended; an unmatched one by its own time and amount',
  },
  { topic: 'Cashback and fee of a refund', choice: 'Negative, because they are reversed' },
  {
    topic: 'American Express cards',
    choice:
      'None exist at first. Create one with `countersign sandbox create card --set scheme=amex --set type=amex`; locations accept it',
  },
  {
    topic: 'Auth-enabled locations',
    choice:
      "A location is auth-enabled for a card if `auth` is true for the card's scheme. A successful sync sets `auth` and `clearing` to true, a failed one to false",
  },
  {
    topic: 'American Express merchant id',
    choice: 'Same as Visa, because `searchBy` has no list for it',
  },
  {
    topic: 'Order of events with one cause',
    choice: 'One after another; each waits at most one second for the previous one',
  },
  {
    topic: 'Delivery headers',
    choice: '`content-type`, signature, timestamp, custom headers in order; no message id',
  },
  {
    topic: 'Timestamps in the future',
    choice:
      'Freshness is `future` if the timestamp is more than 300 s ahead; the spec names a limit for old ones only',
  },
  {
    topic: 'Mandatory fields',
    choice:
      'Every field that section 2 lists, except `originalTransactionId` and `card.metadata`; null only where listed',
  },
  {
    topic: 'Hook changed between two attempts',
    choice: 'The notification keeps its original URL and headers',
  },
  { topic: "Response that doesn't end in time", choice: 'Failed, whatever its status' },
]
