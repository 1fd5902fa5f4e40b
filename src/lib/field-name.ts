/** The name of a field in small letters and with hyphens: servers like CGI take `Act_For` for `Act-For`. */
export function foldFieldName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
