/** Reports refused origins; allowed ones, which are on the way of a call, cost a comparison. */
export function watchOrigins(
  isAllowed: (projectId: string, origin: string) => boolean | Promise<boolean>,
  noteRefused: (projectId: string, origin: string) => void,
) {
  return (projectId: string, origin: string): boolean | Promise<boolean> => {
    const answer = isAllowed(projectId, origin);
    if (answer === true) return true;
    if (answer === false) noteRefused(projectId, origin);
    else
      answer.then(
        (isKnown) => isKnown || noteRefused(projectId, origin),
        () => undefined,
      );
    return answer;
  };
}
