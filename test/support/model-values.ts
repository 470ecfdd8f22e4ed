/** Complete model values for tests, which override only the fields they test. */
import type { HandlerResponse, LastReplay } from '../../src/shared/model/delivery.ts'
import {
  DEFAULT_API_VERSION,
  environmentAddSchema,
  type Environment,
  type EnvironmentAdd,
} from '../../src/shared/model/environment.ts'
import type { FlowPlan, FlowRun, FlowRunStep } from '../../src/shared/model/flow-run.ts'
import type { SavedHandler } from '../../src/shared/model/handler.ts'
import type { Replay, Send } from '../../src/shared/model/send.ts'
import type { Notification } from '../../src/shared/model/notification.ts'
import type { AppStatus } from '../../src/shared/model/status.ts'

const AT = '2026-11-21T10:00:00.000Z'
const TARGET = 'https://localhost/in'

/** Creates the input that adds an account of a service. */
export const accountOf = (part: Partial<EnvironmentAdd> = {}): EnvironmentAdd =>
  environmentAddSchema.parse({
    name: 'staging',
    mode: 'test',
    baseUrl: 'https://api.example.com',
    key: 'sk_test_0123456789',
    ...part,
  })

/** Creates the status of a running app with a receiver, a sandbox and no delivery. */
export function appStatusOf(part: Partial<AppStatus> = {}): AppStatus {
  return {
    version: '1.2.3',
    host: 'loopback',
    pid: 1,
    dataFolder: '/data',
    caFile: '/data/tls/ca.pem',
    receiver: {
      state: 'listening',
      url: 'https://127.0.0.1:4783',
      publicUrl: null,
      httpUrl: null,
      problem: null,
    },
    sandbox: 'https://127.0.0.1:4784',
    store: {
      state: 'ok',
      problem: null,
      deliveries: 0,
      bytes: 0,
      search: { state: 'ready', left: 0 },
    },
    vault: { backend: 'file', protected: false, message: '' },
    ...part,
  }
}

export function environmentOf(part: Partial<Environment> = {}): Environment {
  return {
    name: 'staging',
    mode: 'test',
    baseUrl: 'https://api.example.com',
    apiVersion: DEFAULT_API_VERSION,
    prefix: 'service',
    auth: 'service-key',
    ack: '200',
    current: false,
    key: null,
    publicKey: null,
    clientId: null,
    tokenUrl: null,
    authHeader: 'Authorization',
    tokenForm: 'json',
    tokenField: null,
    refreshTokenField: null,
    expiryField: null,
    tokenRequestFields: {},
    caPem: null,
    proxy: null,
    timeoutMs: 10_000,
    ...part,
  }
}

export function replayWith(part: Partial<Replay> = {}): Replay {
  return {
    id: 'replay',
    createdAt: AT,
    query: null,
    to: TARGET,
    registeredUrl: null,
    hookId: null,
    handlerId: null,
    tamper: null,
    repeat: 1,
    concurrency: 1,
    rate: null,
    comparison: null,
    edited: [],
    state: 'done',
    problem: null,
    total: 0,
    waiting: 0,
    underWay: 0,
    passed: 0,
    failed: 0,
    recorded: 0,
    fixed: 0,
    regressed: 0,
    uncertain: 0,
    notSent: 0,
    cancelled: 0,
    ...part,
  }
}

export function notificationOf(part: Partial<Notification> = {}): Notification {
  return {
    id: 'notification',
    event: 'transaction.auth',
    mode: 'test',
    hookId: 'hook',
    url: TARGET,
    attempts: [],
    state: 'pending',
    reason: null,
    nextAt: null,
    fault: null,
    ...part,
  }
}

export function flowPlanOf(part: Partial<FlowPlan> = {}): FlowPlan {
  return {
    name: 'flow',
    title: 'A flow',
    about: null,
    sections: [],
    mode: 'test',
    sandboxOnly: null,
    builtIn: true,
    actors: [],
    steps: [],
    inputs: [],
    source: '{}',
    origin: null,
    ...part,
  }
}

export function flowRunOf(part: Partial<FlowRun> = {}): FlowRun {
  return {
    id: 'run',
    flow: 'flow',
    origin: null,
    title: 'A flow',
    environment: 'sandbox-test',
    mode: 'test',
    target: 'sandbox',
    speed: 'max',
    handler: null,
    handlerName: null,
    set: {},
    startedAt: AT,
    endedAt: AT,
    state: 'done',
    outcome: 'pass',
    summary: '',
    happened: '',
    reason: '',
    current: 0,
    businessStartedAt: AT,
    clock: null,
    ask: null,
    steps: [],
    strays: [],
    ...part,
  }
}

export function flowRunStepOf(part: Partial<FlowRunStep> = {}): FlowRunStep {
  return {
    index: 0,
    name: 'step',
    kind: 'delivery',
    actor: 'service',
    from: 'service',
    to: 'handler',
    title: 'A step',
    event: null,
    expected: null,
    lastsMs: null,
    afterMs: null,
    state: 'done',
    outcome: 'pass',
    at: null,
    businessAt: null,
    ms: null,
    deliveryId: null,
    got: null,
    told: null,
    message: '',
    fix: null,
    rule: null,
    arrived: null,
    response: null,
    checks: [],
    gaveUp: false,
    ...part,
  }
}

export function handlerResponseOf(part: Partial<HandlerResponse> = {}): HandlerResponse {
  return {
    name: 'local',
    target: 'http://localhost:3000/hooks',
    sendId: 'send',
    at: null,
    status: 500,
    ms: 12,
    timedOut: false,
    signed: true,
    outcome: 'failing',
    ...part,
  }
}

export function lastReplayOf(part: Partial<LastReplay> = {}): LastReplay {
  return {
    outcome: 'failing',
    at: AT,
    status: 500,
    target: TARGET,
    sendId: 'send',
    fixed: false,
    ...part,
  }
}

export function savedHandlerOf(part: Partial<SavedHandler> = {}): SavedHandler {
  return {
    id: part.name ?? 'handler',
    name: 'local',
    url: 'http://localhost:3000/hooks',
    registeredUrl: null,
    hookId: null,
    hasSecret: true,
    prefix: null,
    targetCa: null,
    current: false,
    lastCheck: null,
    ...part,
  }
}

export const sendOf = (part: Partial<Send> = {}): Send => ({
  id: 'one',
  replayId: 'replay',
  position: 1,
  deliveryId: 'd',
  target: 'http://127.0.0.1:3000/',
  handler: null,
  registeredUrl: null,
  tamper: null,
  edited: [],
  kind: 'replay',
  tries: 0,
  state: 'settled',
  startedAt: '2026-11-21T10:05:00.000Z',
  status: 200,
  ms: 1,
  phases: null,
  errorKind: null,
  error: null,
  outcome: 'passed',
  validPassed: null,
  expected: part.tamper === undefined || part.tamper === null ? 'acknowledged' : 'rejected',
  certificateProblem: null,
  ...part,
})
