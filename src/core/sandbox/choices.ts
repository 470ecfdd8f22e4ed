/**
 * What the interface leaves open, and what the sandbox does there. Chosen once, in the open: `docs/sandbox.md` has the same
 * table, and a test compares the two. The client of the real service relies on none of it.
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
    topic: 'Answer of a creation',
    choice: '201 with the record; the secret is 43 characters of Base-64 for URLs, and shown this once',
  },
  { topic: 'Answer of an update', choice: '200 with the record; what the request leaves out stays as it is' },
  { topic: 'Answer of a deletion', choice: '200 with `{ "id", "deleted": true }`; no further attempts of pending deliveries' },
  {
    topic: 'Error bodies',
    choice: '`{ "error": { "code", "message", "findings" } }`, each finding with `rule`, `section`, `field`, `message`',
  },
  {
    topic: 'Token endpoint of version 2.0',
    choice:
      '`POST /v2/token`, JSON or form, `client_id` (the public key) and `client_secret` (the secret key), or `refresh_token`; the answer is `access_token` (a JWT for one hour), `token_type`, `expires_in`, `refresh_token`',
  },
  {
    topic: "Countersign's token request",
    choice:
      '`client_id`, `client_secret` and `grant_type` `client_credentials` as JSON; renewed with `grant_type` `refresh_token`. Path, form, names and extra fields are settings of the environment',
  },
  { topic: 'Header of a token', choice: '`Authentication: Bearer …`; `Authorization` is understood too' },
  { topic: 'Unknown fields of a request', choice: 'Ignored' },
  { topic: 'Offer in an update', choice: 'Refused, unless it is the one that the hook has' },
  {
    topic: 'Certificate at registration',
    choice:
      "Verified when a hook is created or its URL changes, as for deliveries; a certificate that doesn't verify is rejected. A host that shows none within 5 s is accepted, and imports aren't checked",
  },
  {
    topic: 'Characters of a URL',
    choice: 'Whitespace, control characters and backslashes are rejected; `https:` needs `//` and a host. Nothing is rewritten',
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
    choice: 'Rejected by the sandbox, which cannot send it. The spec allows it, so for a real account it is only a warning',
  },
  { topic: 'Ten URLs', choice: 'Registered hooks are counted, deleted ones are not; the same URL twice counts twice' },
  { topic: 'Programs', choice: 'One in each mode from the start; an imported hook that names another one makes it' },
  {
    topic: 'Offers',
    choice: 'One in each program; an `offerId` that is seen for the first time becomes an offer of that program',
  },
  { topic: 'Hooks without a program', choice: 'A program hook imported without its program hears of all programs' },
  { topic: 'Several hooks on one URL', choice: 'Each gets a delivery of its own, signed with its own secret' },
  {
    topic: 'Metadata',
    choice:
      'The client chooses it, so there is none at first; `metadata` that a card, brand or location is given stands in each of its later transactions, and not in its own events',
  },
  { topic: '`datetime` of a transaction', choice: 'The local time at the location' },
  {
    topic: 'Clearing by itself',
    choice: 'Mastercard at the first 12:00 UTC, the others at one of the four-hourly times, 48 to 72 hours after the payment',
  },
  { topic: 'The clock going back', choice: 'Not possible; a reset returns it to the present' },
  { topic: 'Id of a clearing', choice: 'That of its auth' },
  { topic: 'Id of a refund', choice: 'Its own; the accompanying clearing has the same' },
  {
    topic: 'Finding the purchase of a refund',
    choice:
      'Among those that the sandbox knows: of the same card, location, merchant id and amount, and not later; of several the one named, else the latest',
  },
  { topic: 'Partial refunds', choice: 'Sent, and never matched: the amount is one of the things that identify the purchase' },
  {
    topic: 'Offers: period and rules',
    choice:
      'An offer has `startsAt`, `endsAt` (or null) and `minimumAmount`. A purchase is held against them by when it was paid and by its amount, at its clearing anew',
  },
  {
    topic: 'Several offers',
    choice:
      'A transaction qualifies for one: the one that it qualified for before, else the first that a hook asks for with an `offerId`, else the first of the program',
  },
  {
    topic: 'Qualifying purchase',
    choice:
      'The plain event with `offer` null, then its qualified twin with the offer, whichever of the two is triggered; as qualified, one that does not qualify is refused',
  },
  {
    topic: 'Qualifying refund',
    choice:
      '`transaction.refund` and `transaction.clearing` with `offer` null, then `transaction.refund.qualified` with the offer. A matched refund qualifies where its purchase did, also after the offer has ended; an unmatched one by its own time and amount',
  },
  { topic: 'Cashback and fee of a refund', choice: 'Negative: they are taken back' },
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
  { topic: 'Merchant id of American Express', choice: 'That of Visa, because `searchBy` has no list for it' },
  {
    topic: 'Order of the events of one story',
    choice: 'One after another, but none waits more than one second for the one before',
  },
  {
    topic: 'Headers of a delivery',
    choice: '`content-type`, signature, timestamp, custom headers in their order; no message id',
  },
  {
    topic: 'Timestamps in the future',
    choice: 'Freshness is `future` if the timestamp is more than 300 s ahead; the spec names a limit for old ones only',
  },
  {
    topic: 'Mandatory fields',
    choice: 'Every field that section 2 lists, except `originalTransactionId` and `card.metadata`; null only where listed',
  },
  { topic: 'A hook changed between two attempts', choice: 'The notification keeps the URL and headers that it began with' },
  { topic: 'An answer that does not end in time', choice: 'A failure, whatever its status' },
]
