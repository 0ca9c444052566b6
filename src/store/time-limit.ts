// This file waits for work that may take too long.

/** The result of the work; undefined if it takes longer than the limit. @param limit milliseconds */
export async function withinTime<Result>(
  work: Promise<Result>,
  limit: number,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, limit, undefined);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
