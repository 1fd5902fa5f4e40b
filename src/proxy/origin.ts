/** How the names of a host are compared: in any case, with or without the scheme's own port (RFC 9110 section 4.2.3). */
type HostMatcher = (rawHeaders: readonly string[]) => boolean;

/** Distinguishes requests whose `Host` is that of the origin from others. */
export function matchHost(origin: string): HostMatcher {
  const { host, hostname, protocol } = new URL(origin);
  const hosts = new Set([
    host,
    ...(host === hostname ? [`${host}:${protocol === 'https:' ? 443 : 80}`] : []),
  ]);
  return (rawHeaders) => {
    const sent = hostOf(rawHeaders);
    return sent !== undefined && (hosts.has(sent) || hosts.has(sent.toLowerCase()));
  };
}

/** The first `Host`, which mostly is the first field. */
function hostOf(rawHeaders: readonly string[]): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') return rawHeaders[index + 1];
  }
  return undefined;
}
