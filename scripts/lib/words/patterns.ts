/**
 * Patterns of English that the project avoids, with advice and examples
 * (`test/lint/words.test.ts`).
 */
import type { Kind, Piece } from './extract.ts'

export interface Pattern {
  readonly name: string
  readonly say: string
  readonly find: RegExp
  /** Kinds of text; the pattern applies everywhere if missing. */
  readonly kinds?: readonly Kind[]
  readonly bad: readonly string[]
  readonly good: readonly string[]
}

/** Kinds of text where the glossary applies: window, terminal and docs. */
const READ: readonly Kind[] = ['string', 'doc']

export const patterns: readonly Pattern[] = [
  // Ways of speaking
  {
    name: 'what … is',
    say: 'Name the thing: "the request", not "what is sent".',
    find: /\b[Ww]hat (?:is|was|are|were|has|had|comes?|came|goes|went|stands|stood|waits?|it (?:is|was|has|had)|they (?:are|were)) (?!.*\?$)(?!wrong\b|new\b|next\b|different\b|expected\b|known\b|missing\b)/,
    bad: ['What waits was not sent', 'Masks what is sent', 'It keeps what came in.'],
    good: [
      'What is a hook?',
      'Builds what is missing',
      'See what changed',
      'Explains what is wrong with the signature',
      'What to do next',
      'shows what was expected',
    ],
  },
  {
    name: '"where" for "if"',
    say: 'Use "if" or "when" for conditions.',
    find: /^Where (?!to\b|from\b|(?:is|are|do|does|did|can)\b.*\?)(?:(?:the|a|an)\b(?! [\w ]+ (?:comes|came|is|are) (?:from|stored|kept|shown|used)\b)|(?:it|there|one|no|none|nothing|this|that|these|its|their|each|both|any|only|several|two|another)\b)|\bwhere (?:there (?:is|are|was|were)|it is (?:not|known|possible|there)|one is|none|nothing|no)\b/,
    bad: [
      'Where the body is no JSON, it is shown as text.',
      'Uses the hook, where there is one',
      'where none is named',
    ],
    good: [
      'The folder where logs are written',
      'Where to look',
      'Where is my handler?',
      'Opens where you left off',
      'Where a delivery comes from',
    ],
  },
  {
    name: '"is told", "is said"',
    say: 'Name the actor: "the app shows", "the service returns".',
    find: /\b(?:is|are|was|were|be|been|being) (?:told|said)\b|\b(?:[Tt]ells?|[Tt]old|[Hh]ears?|[Hh]eard|[Ss]peaks?|[Ss]poke|[Kk]nows? (?:nothing|something)) of\b/,
    bad: [
      'Unless told otherwise, 200 is told',
      'The reason is said below',
      'The endpoint hears of it',
      'Tells of a purchase',
    ],
    good: ['Tell your team', 'The response says why'],
  },
  {
    name: '"anew"',
    say: 'Write "again", or "re-sign".',
    find: /\banew\b/i,
    bad: ['It is signed anew'],
    good: ['Sign again', 'a new hook'],
  },
  {
    name: '"is none", "has none"',
    say: 'Write "no …", "nothing" or "not …".',
    find: /(?<!\b[Ii]f there )\b(?:is|are|was|were|has|have|had|gives?|gave|knows?|sends?|with) none\b|(?<!\b[Ii]f )\b[Nn]one (?:is|was|are|were|came|comes|stands|has)\b/,
    bad: ['refuse what is none', 'There is none', 'None is named', 'with none of them'],
    good: [
      'Tamper: None',
      'none of the hooks match',
      'None yet',
      'Null if there is none',
      'null if none was sent',
    ],
  },
  {
    name: '"there is no"',
    say: 'Write "X not found" or "No hooks yet".',
    find: /\b[Tt]here (?:is|are|was|were) (?:no|nothing|none|nobody)\b(?! longer)/,
    kinds: READ,
    bad: ['There is no hook "a".', 'there was nothing to send'],
    good: ['No hooks yet', 'Hook "a" not found.', 'Is there a handler?'],
  },
  {
    name: '"is no"',
    say: 'Write "not": "isn\'t JSON".',
    find: /\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|later\b|fewer\b|different\b|slower\b|earlier\b|bigger\b|larger\b)(?<!\b[Tt]here (?:is|are|was|were) no )/,
    bad: ['The body is no JSON', 'bad.json is no flow yet'],
    good: ['The hook is no longer there', 'There is no way back', 'is no slower than before'],
  },
  {
    name: '"no such"',
    say: 'Write "not found" or "unknown".',
    find: /\bno such\b/i,
    bad: ['There is no such hook', 'no such time'],
    good: ['Hook not found', 'nonsuch'],
  },
  {
    name: '"be it"',
    say: 'Write "whether … or", or cut it.',
    find: /\bbe (?:it|they)\b(?! (?:self|were))/,
    bad: ['Every send, be it a replay or a check'],
    good: ['It may be its last', 'Let it be'],
  },
  {
    name: 'a sentence that begins with "Of"',
    say: 'Put the subject first.',
    find: /(?:^|[.!?:] )Of (?!course\b)|\bWhat of\b/,
    bad: ['Of a hook: its name', 'Kept. Of each, the last is shown.', 'What of an answer is shown'],
    good: ['Of course', 'Out of range', 'The name of a hook'],
  },
  {
    name: '"the one of"',
    say: 'Name the thing: "the hook\'s program".',
    find: /\b[Tt]he ones? (?:of|before|after)\b|\b[Oo]ne's own\b|\bthat of (?:the|a|an|its|this|each|every)\b/,
    bad: [
      'The one of the hook, or the first',
      'Compare it with the one before',
      'The signature is that of the attempt before',
      "A file of one's own",
    ],
    good: ['Open the one that failed', 'One of the hooks', 'the previous delivery'],
  },
  {
    name: '"of its own"',
    say: 'Write "its own …".',
    find: /\bof (?:its|their|your|our|his|my) own\b/,
    bad: ['each in a folder of its own', 'certificates of your own'],
    good: ['in its own folder', 'your own certificates'],
  },
  {
    name: '"of which"',
    say: 'Start a new sentence, or use "whose".',
    find: /\b(?:of|to|in|by|from|for|with|at|behind|under|over|beside|through|after|before) which\b(?! (?:of|hook|delivery|event|handler)\b)/,
    kinds: ['string', 'doc', 'test'],
    bad: ['the purchase, of which nothing came', 'a reference under which it is found'],
    good: ['whose purchase is missing'],
  },
  {
    name: '"goes on", "under way"',
    say: 'Write "continues", "in progress", "running".',
    find: /\b(?:goes|go|went|gone|going) on(?: with\b|\b(?! (?:to|disk|the)\b))|\bunder way\b/,
    bad: ['The replay goes on', 'gone on with', 'A send under way'],
    good: ['The replay continues', 'A run is in progress'],
  },
  {
    name: '"all the same", "as it is"',
    say: 'Cut it, or write "anyway" or "unchanged".',
    find: /\ball the same\b(?=[.,;:)]|$)|(?<!\b(?:soon|long|far|much|well|often|same) )\bas (?:it is|they are|it was|they were|it stands|it came|it comes|they came)\b(?! (?:now|sent|received|written|being|shown|used|typed|needed))/,
    bad: ['It is sent all the same.', 'The body goes as it is', 'kept as it came'],
    good: [
      'They are all the same size',
      'Sent unchanged',
      'as it is received',
      'as soon as it is known',
    ],
  },
  {
    name: '"per" as "a"',
    say: 'Write "per second", "per line".',
    find: /\b(?:\d[\d,.]*|one|once|twice|times|objects?|bytes?|deliveries|requests|sends|events?|each|entry|row|pixels?|number) (?:of them )?an? (?:second|line|minute|hour|row|delivery|hook|attempt|file|page|send|request|case|event)\b/,
    bad: ['print one JSON object a line', 'at most 100 a second', 'ten times a second'],
    good: ['one object per line', 'once per second', 'wait a second'],
  },
  {
    name: '"is to be"',
    say: 'Write "must", "should" or "will".',
    find: /\b(?:is|are|was|were) to (?:be|come|go|have|stay|arrive|happen|follow|become|say)\b/,
    bad: ['none was to come', 'what is to be sent'],
    good: ['must be sent', 'The goal is to beat it'],
  },
  {
    name: '"stands", "lies" for "is"',
    say: 'Write "is", "appears" or "is stored".',
    find: /\b(?:stands?|stood|standing|lies|lay) (?:in|on|at|under|beside|there|here|above|below|behind|before|by|with|between|open|over|out|still|first|last|alone|near|to)\b/,
    bad: ['Its reason stands in the docs', 'The file lies beside it'],
    good: ['HMAC stands for …', 'The stand-in of Electron', 'The reason is in the docs'],
  },
  {
    name: '"not there", "any more"',
    say: 'Write "no longer exists", "missing" or "not yet".',
    find: /\b(?:not|isn't|wasn't|aren't|no longer) there\b|\bany more\b(?! (?:than|deliveries|of|rows|memory|time))/,
    bad: ['It is not there yet', 'Not there any more', 'nobody waits any more'],
    good: ['no longer exists', 'Load any more of it', 'Is it there?'],
  },
  {
    name: 'a trailing "alone"',
    say: 'Write "only".',
    find: /(?<!\b(?:leave|left|let|stand|stands|run|runs|works?|are|be|is|it|them|not)) alone(?=[.,;:)]|$)/,
    bad: ['reached from this machine alone', 'by its name alone.'],
    good: ['Leave it alone.', 'The test runs alone', 'a standalone file'],
  },
  {
    name: '"it takes", "it holds to"',
    say: 'Write "must be", "accepts", "expected".',
    find: /\bIt takes (?:a|an|one|only|no)\b|\b[Hh]olds? to the\b|\b(?:takes?|took|taken) (?:it |them |this )?(?:for|as) (?:a |an |the )?(?:wrong|genuine|granted|known|valid|new|what|one)\b/,
    bad: ['It takes a number', 'Holds to the time of the signature', 'was taken for genuine'],
    good: ['This takes about a minute', 'Holds the lock', 'Expected a number'],
  },
  {
    name: '"for ever", "so as to", "upon", "whoever"',
    say: 'Write "forever", "to", "on", "anyone who".',
    find: /\bfor ever\b|\bso as to\b|\bupon\b|\b[Ww]hoever\b|\bwhosoever\b|\bthere(?:of|in|upon|with)\b|\bhere(?:of|in|with)\b|\bheed(?:ed|s)?\b|\bamiss\b|\bin vain\b/,
    bad: ['it would wait for ever', 'Whoever gets this file can sign', 'nothing is amiss'],
    good: ['forever', 'Anyone with this file'],
  },
  {
    name: '"agree to", "do not go together"',
    say: 'Write "allow" for options; "Use either --a or --b."',
    find: /\bagree(?:d|s|ing)? to\b|\bdo(?:es)? not go together\b|\(again for more\)|\bagain for more\b|\b[Ee]nds with (?:\d|code)\b|\bgive one of them\b/i,
    bad: [
      'agree to a live hook',
      '--a and --b do not go together',
      'a hook (again for more)',
      'Ends with 1 where a check failed',
    ],
    good: [
      'allow live hooks',
      'Use either --a or --b.',
      '(repeatable)',
      'Exits with 1 if a check fails.',
    ],
  },
  {
    name: '"it is … that", "is asked"',
    say: 'Name the actor in the active voice.',
    find: /\b(?:is|are|was|were) (?:asked|looked (?:at|for)|gone through|passed on|given up(?: on)?|done with|had|got|come)\b/,
    bad: [
      'The service is asked to send',
      'All of its sends are looked at',
      'It is passed on',
      'no binary was had',
    ],
    good: ['had been sent'],
  },
  // The glossary
  {
    name: 'answer',
    say: 'Write "response", "respond", "return".',
    find: /(?<![-`])\b[Aa]nswer(?:s|ed|ing)?\b(?!`)/,
    kinds: READ,
    bad: ['Your handler answered 401', 'The answer of the endpoint'],
    good: [
      'Your handler returned 401',
      'The option `--answer` sets the status.',
      'Set it with --answer 500.',
    ],
  },
  {
    name: 'machine',
    say: 'Write "this computer", "a remote host".',
    find: /\b(?:this|another|other|your|the same|one|remote|fresh) machines?\b/,
    kinds: READ,
    bad: ['Only from this machine', 'on another machine'],
    good: ['this computer', 'a virtual machine', 'for machines'],
  },
  {
    name: 'genuine, mend, oddity',
    say: 'Write "valid", "fix", "issue".',
    find: /\bgenuine(?:ly)?\b|\bmend(?:s|ed|ing)?\b|\bodd(?:ity|ities)?\b(?! (?:number|one out))|\bleaps?\b(?! (?:year|second|day))|\bbusiness time\b|\bstations?\b|\bfirst walk\b/i,
    kinds: READ,
    bad: ['a genuine delivery', 'worth mending', 'nothing odd', 'the first walk'],
    good: ['a valid delivery', 'recommend', 'an odd number of bytes', 'leap year'],
  },
  {
    name: 'URL to sign, service account',
    say: 'Write "registered URL", "environment", "your handler", "test mode".',
    find: /\bURL to sign\b|\bservice accounts?\b|(?<!\bdoes )\bmy handler\b|\b(?:test|live) side\b/i,
    kinds: READ,
    bad: ['URL to sign', 'List service accounts', 'The test of my handler', 'the live side'],
    good: ['registered URL of the signature', 'Why does my handler fail?', 'live mode'],
  },
  {
    name: 'whole number, white space',
    say: 'Write "integer", "whitespace", "newline", "string".',
    find: /\bwhole numbers?\b|\bwhite space\b|\b(?:an?|the|each|every|its) line feeds?\b|\bis a text\b|\bwhite-space\b(?!:)/,
    bad: ['takes a whole number', 'white space at its end', 'a line feed at its end'],
    good: ['must be an integer', 'whitespace', 'a trailing newline', 'line feed'],
  },
  {
    name: 'address for URL',
    say: 'Write "URL", "host" or "port".',
    find: /(?<!\b(?:IP|IPv4|IPv6|loopback|local|link-local|private|bind|listen|e-?mail|memory|network|own|Class|postal|remote|DNS) )\b[Aa]ddress(?:es)?\b(?! (?:bar|family|space))/,
    kinds: ['string'],
    bad: ['the public address', 'An address that leads here'],
    good: ['the public URL', 'an IP address', 'loopback addresses'],
  },
  {
    name: 'authority for CA certificate',
    say: 'Write "CA certificate".',
    find: /(?<!certificate )\b[Aa]uthorit(?:y|ies)\b/,
    kinds: READ,
    bad: ['The authority of the endpoint'],
    good: ['The CA certificate of the endpoint', 'A certificate authority issues it'],
  },
  {
    name: 'running instance',
    say: 'Write "Countersign is (not) running".',
    find: /\brunning instance\b|\bnone serves\b/,
    bad: ['It needs a running instance'],
    good: ['Countersign is not running', 'a sandbox instance'],
  },
  {
    name: 'given up, by hand, passed on',
    say: 'Write "cancelled", "manually", "forwarded".',
    find: /\b(?:[Gg]iven|[Gg]iving|[Gg]ives?) (?:it |them )?up\b|\bby hand\b|\bpass(?:ed|es|ing)? (?:it |them )?on\b|\bhand(?:ed|s|ing)? over\b/,
    kinds: READ,
    bad: ['Given up after 3 failures', 'respond by hand', 'deliveries are passed on'],
    good: ['Gave up', 'Stopped after 3 failures', 'respond manually', 'pass only if'],
  },
  {
    name: 'what was received, "came"',
    say: 'Write "received", "arrived", "returned".',
    find: /\b(?:it|they|that|deliver(?:y|ies)|one|nothing|none|answers?|requests?|events?|body|bodies|file) (?:came|comes|went|goes)\b(?! (?:to|with|from|down|up|back to|first|last|into|before|after|through))/,
    bad: ['the body that came', 'nothing came', 'It goes to you, and it comes.'],
    good: ['a delivery came from', 'became', 'the overcome'],
  },
  {
    name: 'curly quotes',
    say: 'Write \' and ", as in terminals and JSON.',
    find: /[\u2018\u2019\u201c\u201d]/,
    bad: ['The hook\u2019s secret', 'Press \u201cSend sample\u201d'],
    good: ["The hook's secret", 'Press "Send sample"', 'Replaces `\u2019` with an apostrophe'],
  },
]

const withoutCode = (text: string): string =>
  text.replaceAll(/`[^`]*`|\{[^{}]*\}/g, (code) => (code.startsWith('`') ? '``' : 'x'))

export function findings(piece: Pick<Piece, 'kind' | 'text'>): readonly Pattern[] {
  const text = withoutCode(piece.text)
  return patterns.filter(
    ({ kinds, find }) => (kinds === undefined || kinds.includes(piece.kind)) && find.test(text),
  )
}
