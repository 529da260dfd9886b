library(reticulate)
arcwise <- import("arcwise")

# A data frame: factors are discrete variables, numbers are continuous ones.
table <- read.csv("clinic.csv", stringsAsFactors = TRUE)

# Whole numbers need an L; NULL is None.
posterior <- arcwise$learn(table, max_indegree = 3L, seed = 1L, progress = NULL)
cat(posterior$account$verdict, "\n")

# The edges, most probable first, through a file, which works with every version of reticulate.
posterior$write_edges("edges.csv")
edges <- read.csv("edges.csv")
print(head(edges, 5), digits = 3)

# The probability of each edge as a matrix, by source and target.
probabilities <- do.call(rbind, lapply(posterior$edges$tolist(), unlist))
dimnames(probabilities) <- list(unlist(posterior$variables), unlist(posterior$variables))
print(round(probabilities["smoke", c("lung", "bronc")], 3))
write.csv(probabilities, "probabilities.csv", row.names = FALSE)

# Any other feature, an effect, a report page.
cat(posterior$estimate("smoke ~> dysp")$value, "\n")
print(arcwise$effects(posterior, "bronc", "dysp"))
posterior$report("page.html", title = "Clinic")
