const HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether the host of a URL, as the URL standard writes it, is this computer by one of its three usual names. */
export function isLoopbackHost(hostname: string): boolean {
  return HOSTS.has(hostname);
}
