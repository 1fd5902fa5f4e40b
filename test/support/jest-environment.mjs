import { constants, createContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's Node environment with an ordinary global object. Jest's own passes every look-up of a global (`Math`, `Number`,
 * `Object`) to a Proxy in another context, which takes microseconds and was most of the time of whatever computes.
 * Fake timers and mocks stay with jest's own global object; no test here uses them.
 */
export default class FastGlobalsEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const fast = createContext(constants.DONT_CONTEXTIFY);
    for (const key of Reflect.ownKeys(this.global)) {
      const descriptor = Object.getOwnPropertyDescriptor(this.global, key);
      const isOwn = Object.hasOwn(fast, key) && !SHARED_WITH_NODE.has(key);
      if (descriptor !== undefined && !isOwn) Object.defineProperty(fast, key, descriptor);
    }
    fast.global = fast;
    fast.globalThis = fast;
    fast.Error.stackTraceLimit = 100;
    this.global = fast;
    this.context = fast;
  }
}

/** What Node's own modules return instances of. */
const SHARED_WITH_NODE = new Set(['ArrayBuffer', 'Uint8Array']);
