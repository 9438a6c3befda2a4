/** The types of `index.cjs`, for programs that import. */

export * from "./index.cjs";
