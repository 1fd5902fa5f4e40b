import { StartError } from '../lib/start-error.ts';

/** A refusal to start: what is wrong with which variable. Its message never shows a value that may be a secret. */
export class ConfigurationError extends StartError {
  override readonly name = 'ConfigurationError';
}
