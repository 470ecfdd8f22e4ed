/**
 * The messages and exit codes of commands that can't do their work, written to `refused.txt`. None
 * of them prints data or creates anything.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliOfFile, wordsOf } from '../integration/cli-fixture.ts'
import { coreInFolder } from '../support/in-folder.ts'

const cli = cliOfFile()

/** Variables before the command are its environment, the text after `<` its standard input. */
const UNUSED = `
nonsense
hooks lst
show
show latest --jsn
show latest extra
show latest --body --json
show latest --lifecycle --body
show latest --attempts --body
show latest --decoded
show latest:card.link
deliveries --limit 0
deliveries --limit many
deliveries --limit 99999999999999999999
deliveries two queries
deliveries is:invalid -event:card.*
deliveries --sort note
deliveries --view ''
deliveries 'is:stale verdct:invalid'
deliveries is:vaild
deliveries --follow 'a "b'
deliveries a --query b
stats a --query b
export a --query b
export one two -o x
export --output ''
export latest:nothing
wait a --query b
wait --query a --query b
wait --query amount:<
wait --count 0
wait --timeout x
wait --timeout 99999999999
delete
delete a --query b
delete latest:card.link
delete --query a --query b --yes
mark latest
mark latest --pin --unpin
mark latest latest:card.link --pin
views save odd is:invalid two
compare latest:card.link
compare latest latest:card.link
import ''
trigger
trigger transaction.atuh
trigger transaction.auth --seed x
trigger transaction.auth --fault x
trigger transaction.auth --set x
trigger card.linked --environment sandbox-test --environment sandbox-live
sandbox clock jump 99999999999d
hooks
hooks import --event card.linked --secret s
hooks update x --no-headers
hooks remove x
hooks rotate x --secret s
serve --receiver-port 65536
serve --ui-port http
serve --host 0.0.0.0
serve --host example.com
settings --body-limit=100GiB
settings --body-limit=much
settings --body-limit=-1
settings --receiver-port 0
settings --keep-days 0
settings --keep-size 1MiB
environments
environments add x --base-url U --key K
environments add x --mode staging --base-url U --key K
environments add x --mode test --key K
environments add x --mode test --base-url U
environments add x --mode test --base-url U --key K --key-file secret.txt
environments add x --mode test --base-url U --key K --timeout long
environments add x --mode test --base-url U --key K --client-id x
environments add x --mode test --base-url U --key K --token-field x
environments add x --mode test --base-url U --key K --ca ''
environments add x --mode test --base-url U --key K --ca folder
environments add x --mode test --base-url U --key K --ca missing
environments add x --mode live --base-url U --auth bearer --client-id c --token-url U/t --client-secret s --key K
environments add x --mode live --base-url U --auth bearer --client-id c --token-url U/t --client-secret s --token-request-field scope
sign --nonsense
sign --url a --url b --secret s
sign --secret s --url u --timestamp ''
sign --secret s --url u --body ''
sign --secret s --url u --body folder
sign --secret s --url u --body missing
sign --url u --timestamp 1
sign --url u --timestamp 1 --secret ''
COUNTERSIGN_SECRET= sign --url u --timestamp 1
sign --url u --timestamp 1 --secret-file ''
sign --url u --timestamp 1 --secret-file empty.txt
sign --url u --timestamp 1 --secret-file folder
sign --url u --timestamp 1 --secret-file missing
sign --url u --timestamp 1 --secret a --secret b
sign --url u --timestamp 1 --secret a --secret-file secret.txt
sign --url u --timestamp 1 --secret - --body secret.txt <
sign --url u --timestamp 1 --secret - < a
sign --url u --timestamp 1 --secret - --body - < a
verify
verify --secret s --url u --timestamp 1
verify --secret s --timestamp 1 --signature x
verify --secret s --url '' --timestamp 1 --signature x
verify --secret s --url u --timestamp 1 --signature x --at yesterday
verify --secret s --url u --timestamp 1 --signature x --max-age -1
verify --secret s --url u --timestamp '' --computed x
verify --secret s --url u --timestamp 1 --computed ''
verify --delivery ''
verify --delivery latest:card.link
verify --delivery latest --timestamp 1
verify --delivery latest --body x
verify --delivery latest --max-age 1
verify --delivery latest --url ''
verify --delivery latest --computed ' '
verify --delivery latest --snippet cobol
verify --delivery latest --snippet node --computed x
check
check example.com:3000 --secret s
check U
check U --secret s --only none
check U --secret s --prefix 'a b'
check U --secret s --prefix ü
check U --secret s --prefix X:
check U --secret s --prefix x-acme
check U --secret s --prefix ''
check U --secret s --registered-url foo
check U --secret s --junit one.xml --html ./one.xml
check U --secret s --junit missing/check.xml
check U --secret s --junit folder
check U --secret s --junit ''
check U --secret s --html ''
check U --secret s --target-ca ''
check U --secret s --target-ca folder
check U --secret s --target-ca missing
replay
replay a --query b
replay latest --query is:valid
replay latest --tamper all
replay latest --header X
replay latest --include-secrets
replay latest --concurrency 65
replay latest --repeat 1001
replay latest latest:card.link
replay latest --body-file ''
replay --resume x --to U
replay --list --live
replay --sends latest --show x
replay --sends latest:nothing
shrink latest:card.link
shrink latest --out ''
forward
forward --hold debugger
forward --to U --answer --hold debugger
forward --to U --query is:
forward a --query b --to U
flow run
flow run --all stale
flow run --all --html all.html
flow run --all --environment mine
flow run --all --set nonsense=1
flow run card-linked --secret s
flow run --handler U --secret-file '' purchase-visa
flow run --handler U --secret-file folder purchase-visa
flow run --handler U --secret-file missing purchase-visa
handlers use
deliveries
deliveries --json
hooks list
hooks env
hooks env --environment staging
environments list
environments list --include-secrets --json
environments check
environments check staging
replay latest --to U
replay --query a
shrink latest --to U
flow runs
flow show nope
mark latest --pin
delete latest
show latest
show latest --body
verify --delivery latest
deliveries --follow
wait
open
trigger transaction.auth
forward --to U
`

/**
 * While Countersign runs with an account "staging" and its hook, a handler "local" and a delivery.
 */
const RUNNING = `
handlers add 'two words' --url localhost:1
trigger transaction.auth --set nowhere.at=1
flow run purchase-visa --set nonsense.x=1
flow run card-linkd
import folder
import missing
environments add staging --mode test --base-url U --key K
environments update staging
environments update staging --key pk_test_0123456789
environments update staging --auth bearer
environments update staging --mode live
environments update production --prefix x
environments update sandbox-test --key K
environments remove sandbox-live
environments remove production
environments remove staging
hooks add --event no.such
hooks add --event card.linkde
hooks add --environment staging
hooks add --environment staging --event nosuch
hooks add --environment staging --event card.linked --program PROGRAM --header X
hooks add --environment staging --event card.linked --program PROGRAM --url S --header 'Host: x'
hooks add --environment staging --event card.linked --program PROGRAM --url http://example.com/
hooks add --environment staging --event transaction.auth --program PROGRAM --url S --offer PROGRAM
hooks add --environment staging --event marketplace.offer.live --program PROGRAM --url S
hooks update HOOK
hooks update HOOK --offer PROGRAM
hooks update HOOK --header 'X-A: 1' --no-headers
hooks update HOOK --environment sandbox-test --no-headers
hooks update HOOK --event brand.consent
hooks update HOOK --answer status=99
hooks update HOOK --answer nonsense
hooks update nobody --no-headers
hooks remove nobody
hooks rotate nobody --secret s
hooks repoint nowhere https://x.example
handlers update local
handlers add x --url localhost:1 --hook HOOK --secret s
handlers update nobody --url localhost:1
replay latest --to @nobody
replay --resume nothing
replay --show nothing
replay --sends nothing
replay 01999999-aaaa
replay amount:>99 --to U
compare latest nowhere
compare latest @missing
compare @ @
replay latest --body-file folder
replay latest --body-file missing
show 01a1fc42-4512-7306-898f-d7169feead1f
export latest~9
export amount:>1000
export deadbeef
mark nobody latest --pin
delete amount:1
delete nobody
doctor --vacuum
verify --delivery 0000
stats --replay nothing-like-it
check U --hook nobody
`

/**
 * Typing mistakes of people, each with what happened, then what to do. Some are only notes: the
 * command does its work.
 */
const MISTAKES = `
deliveries amount:>abc
deliveries foo:bar
deliveries 'is:valid or is:invalid'
deliveries 'refund yesterday'
deliveries event:transaktion.auth
deliveries curency:EUR
deliveries mode:tset
deliveries within:yesterday
deliveries size:huge
deliveries 'items[*].sku:A1'
deliveries 'a "b'
deliveries '(a b'
deliveries 'a OR'
deliveries &&
deliveries status:
stats foo:bar
export foo:bar
replay foo:bar --to U
delete foo:bar
delete
delete latest --query x
wait foo:bar --timeout 0.01
import empty.txt
import secret.txt
import missing
show latest:bogus.event
show latest:card.failed
show latest:refund
show latest~9
show 01999999
types
types --format java
handlers add 'bad name!' --url localhost:1
handlers add x
handlers add x --url nota
handlers remove nobody
hooks import --event transaktion.auth --url S --secret s
hooks import --event transaction.auth --url nota --secret s
hooks import --event nonsense --url S --secret s
hooks import --event card.unlinked --url S --secret s --environment staging
hooks add --event transaktion.auth
hooks update HOOK
sandbox clock set 1999-01-01T00:00:00Z
sandbox clock set 1999
sandbox clock jump -3d
sandbox clock jump 3
sandbox clock speed 0
sandbox create house
sandbox update nope --set a=1
sign --secret s
sign --url nota-url --secret s
sign --url https://a.example --secret s --timestamp yesterday
verify --secret a --url b
verify --delivery nope1234
verify --request empty.txt --secret s
check nota --secret s
shrink latest --to U
replay latest --to nota
replay latest --to @nobody
trigger refund
trigger transaction.auth --set amount
trigger transaction.auth --set amount=abc
trigger transaction.auth --set nope=1
trigger transaction.auth --unset nope
trigger transaction.auth --fault nonsense
environments use nobody
settings --keep-days x
`
const TWO_SENTENCES = /^\S[^]*[.?]\)?\s["'\w-][^]*/

const PROGRAM = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001'

/** Runs each line in a data folder; the result is a transcript. */
async function transcript(lines: string, data: string, hook = '', isData = false) {
  const parts: string[] = []
  const wasThere = existsSync(data)
  for (const line of lines.trim().split('\n')) {
    const [, variable = '', command = '', stdin] =
      /^(COUNTERSIGN_SECRET=)?\s*(.*?)(?: <(.*))?$/.exec(line) ?? []
    const words = wordsOf([command]).map((word) =>
      word
        .replace(/^U/, 'http://127.0.0.1:1')
        .replace(/^S$/, 'https://127.0.0.1:1/in')
        .replace(/^K$/, 'sk_refused_0123456789')
        .replace(/^PROGRAM$/, PROGRAM)
        .replace(/^HOOK$/, hook),
    )
    const env: Record<string, string> = variable === '' ? {} : { COUNTERSIGN_SECRET: '' }
    const { code, text, stderr } = await cli.given({ data, env, stdin: stdin ?? '' }).run`${words}`
    if (!isData) expect([line, text, existsSync(data)]).toEqual([line, '', wasThere])
    else expect(stderr).toMatch(TWO_SENTENCES)
    expect(stderr).not.toContain('sk_refused')
    const said = stderr
      .replaceAll(cli.folder, 'FOLDER')
      .replaceAll(hook || 'no hook', 'HOOK')
      .replaceAll(/\bprocess \d+/g, 'process PID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z/g, 'TIME')
    parts.push(`$ countersign ${line}\n${said.trimEnd()}\n(${code})\n`)
  }
  return parts.join('\n')
}

/** Hundreds of commands, on a busy machine. */
test('refused commands', async () => {
  mkdirSync(join(cli.folder, 'folder'))
  writeFileSync(join(cli.folder, 'empty.txt'), '\n')
  writeFileSync(join(cli.folder, 'secret.txt'), 'secret')
  const unused = await transcript(UNUSED, cli.data)

  const data = cli.newDataFolder()
  mkdirSync(data)
  const core = await coreInFolder({ dataFolder: data })
  const account = { baseUrl: 'https://127.0.0.1:1', key: 'sk_test_0123456789' }
  await core.call('environments.add', { name: 'staging', mode: 'test', ...account })
  const hook = await core.hook('/h/one', 'whsec_one', {
    event: 'card.linked',
    environment: 'staging',
    programId: PROGRAM,
  })
  await core.call('handlers.add', { name: 'local', url: 'http://127.0.0.1:1/', secret: 's' })
  await core.deliver(hook, '{"amount":1}')
  const used = await transcript(RUNNING, data, hook.id)
  await core.call('hooks.import', {
    event: 'transaction.auth',
    url: `${core.receiver}/h/two`,
    secret: 's',
    environment: 'sandbox-test',
  })
  const mistaken = await transcript(MISTAKES, data, hook.id, true)
  await expect(
    `${unused}\n\nWHILE COUNTERSIGN RUNS\n\n${used}\n\nTWO SENTENCES EACH\n\n${mistaken}`,
  ).toMatchFileSnapshot('refused.txt')
})
