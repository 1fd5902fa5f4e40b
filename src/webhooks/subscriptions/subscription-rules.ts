import type { ApiRegistration } from './registration-calls.ts';

type Wishes = {
  readonly events: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
};

type Fault = { readonly path: string; readonly message: string };

/** What the registration needs and the request lacks, or has and the registration does not know. */
export function listFaults({ parameters, events, perEvent }: ApiRegistration, body: Wishes): Fault[] {
  const missing = Object.entries(parameters)
    .filter(([name]) => !body.parameters[name])
    .map(([name, { title, description }]) => ({
      path: `body.parameters.${name}`,
      message: `required: ${description ?? title}`,
    }));
  const unknown = Object.keys(body.parameters)
    .filter((name) => !Object.hasOwn(parameters, name))
    .map((name) => ({ path: `body.parameters.${name}`, message: 'not a parameter of the registration' }));
  const isNameless = perEvent === true && events.length === 0 && body.events.length === 0;
  const nameless = { path: 'body.events', message: 'required: each event is registered by its name' };
  return [...missing, ...unknown, ...(isNameless ? [nameless] : [])];
}
