/** Names of fields and settings stand between backticks. */
export function WithCode({ text }: { text: string }) {
  return text.split('`').map((part, index) => {
    const key = `${index} ${part}`;
    return index % 2 === 1 ? <code key={key}>{part}</code> : part;
  });
}
