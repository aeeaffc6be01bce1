/** Base of hand-written generators: subclasses implement three methods. */
export abstract class MadeGenerator<T, R> implements AsyncGenerator<T, R, void> {
  abstract next(): Promise<IteratorResult<T, R>>;
  abstract return(value: R | PromiseLike<R>): Promise<IteratorResult<T, R>>;
  abstract throw(error: unknown): Promise<IteratorResult<T, R>>;

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return(undefined as R);
  }
}
